import { plannerAgent } from "@planloom/compat";

const adapter: ConformanceAdapter<{ value: unknown }> = ({ value }) => ({
  expressions: plannerAgent.extractTemplates(value),
});
export default adapter;
