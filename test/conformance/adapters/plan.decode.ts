import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ text: string }> = ({ text }) => dialects.planExecute.decode(text);
export default adapter;
