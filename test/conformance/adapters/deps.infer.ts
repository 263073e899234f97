import { dialects } from "@planloom/plan";

const adapter: ConformanceAdapter<{ params: unknown }> = ({ params }) => ({
  depends_on: dialects.plannerAgent.inferDependencies(params),
});
export default adapter;
