import { plannerAgent } from "@planloom/compat";

const adapter: ConformanceAdapter<{ template: unknown; steps: object[] }> = ({ template, steps }) => ({
  value: plannerAgent.resolveTemplates(template, steps),
});
export default adapter;
