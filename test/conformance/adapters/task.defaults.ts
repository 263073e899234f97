import { PlannerTask } from "@planloom/plan";

const adapter: ConformanceAdapter = (input) => PlannerTask.parse(input);
export default adapter;
