import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ steps: string[] }> = (plan) => ({ text: dialects.planExecute.encode(plan) });
export default adapter;
