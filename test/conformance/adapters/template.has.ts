import { plannerAgent } from "@planloom/compat";

const adapter: ConformanceAdapter<{ value: unknown }> = ({ value }) => ({
  has: plannerAgent.hasTemplate(value),
});
export default adapter;
