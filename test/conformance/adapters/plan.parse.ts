import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ text: string }> = ({ text }) => ({ steps: dialects.kirha.parseSteps(text) });
export default adapter;
