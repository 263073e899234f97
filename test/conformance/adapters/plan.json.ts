import { planExecute } from "@planloom/compat";

const adapter: ConformanceAdapter<{ steps: string[] }> = (plan) => ({ text: planExecute.encode(plan) });
export default adapter;
