import { planExecute } from "@planloom/compat";

const adapter: ConformanceAdapter<{ text: string }> = ({ text }) => planExecute.decode(text);
export default adapter;
