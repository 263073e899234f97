import { memoryPlans, Planloom } from "planloom";
import { handlePlanCommand } from "planloom/plan-tools";

const adapter: ConformanceAdapter<unknown> = async (_, { signal }) => {
  await using planloom = new Planloom();
  return handlePlanCommand("resume <id>", { planloom, plans: memoryPlans(), signal });
};
export default adapter;
