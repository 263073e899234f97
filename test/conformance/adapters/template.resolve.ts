import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ template: unknown; steps: object[] }> = ({ template, steps }) => ({
  value: dialects.plannerAgent.resolveTemplates(template, steps),
});
export default adapter;
