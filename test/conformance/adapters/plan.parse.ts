import { kirha } from "@planloom/compat";

const adapter: ConformanceAdapter<{ text: string }> = ({ text }) => ({ steps: kirha.parseSteps(text) });
export default adapter;
