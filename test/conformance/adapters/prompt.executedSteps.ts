import { type ExecutedStep, loopVariables } from "@planloom/runtime";

const adapter: ConformanceAdapter<{ steps: ExecutedStep[] }> = ({ steps }) => ({
  text: loopVariables({ UserInput: [], ExecutedSteps: steps }, 10_000).executed_steps,
});
export default adapter;
