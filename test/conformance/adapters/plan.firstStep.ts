import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ steps: string[] }> = (input) => ({
  firstStep: dialects.planExecute.firstStep(dialects.planExecute.decode(JSON.stringify(input))),
});
export default adapter;
