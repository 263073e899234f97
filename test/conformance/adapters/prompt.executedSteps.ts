import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ steps: { step: string; result: string }[] }> = ({ steps }) => ({
  text: dialects.planExecute.formatExecutedSteps(steps),
});
export default adapter;
