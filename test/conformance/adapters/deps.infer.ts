import { plannerAgent } from "@planloom/compat";

const adapter: ConformanceAdapter<{ params: unknown }> = ({ params }) => ({
  depends_on: plannerAgent.inferDependencies(params),
});
export default adapter;
