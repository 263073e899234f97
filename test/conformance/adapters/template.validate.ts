import { plannerAgent } from "@planloom/compat";

const adapter: ConformanceAdapter<{ params: unknown; steps: object[] }> = ({ params, steps }) =>
  plannerAgent.validateTemplates(params, steps);
export default adapter;
