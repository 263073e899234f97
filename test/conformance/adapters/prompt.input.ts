import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ messages: string[] }> = ({ messages }) => ({
  text: dialects.planExecute.formatInput(messages),
});
export default adapter;
