import { planExecute } from "@planloom/compat";

const adapter: ConformanceAdapter<{ steps: string[] }> = (input) => ({
  firstStep: planExecute.firstStep(planExecute.decode(JSON.stringify(input))),
});
export default adapter;
