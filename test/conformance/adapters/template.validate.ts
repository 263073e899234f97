import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ params: unknown; steps: object[] }> = ({ params, steps }) =>
  dialects.plannerAgent.validateTemplates(params, steps);
export default adapter;
