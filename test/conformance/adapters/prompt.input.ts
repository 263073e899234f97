import { loopVariables } from "@planloom/runtime";

const adapter: ConformanceAdapter<{ messages: string[] }> = ({ messages }) => ({
  text: loopVariables({ UserInput: messages, ExecutedSteps: [] }, 10_000).input,
});
export default adapter;
