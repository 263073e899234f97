import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ value: unknown }> = ({ value }) => ({
  expressions: dialects.plannerAgent.extractTemplates(value),
});
export default adapter;
