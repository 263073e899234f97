import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ value: unknown }> = ({ value }) => ({
  has: dialects.plannerAgent.hasTemplate(value),
});
export default adapter;
