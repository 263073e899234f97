import { TaskData } from "@planloom/plan";

const adapter: ConformanceAdapter = (input) => TaskData.parse(input);
export default adapter;
