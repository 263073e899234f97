import { memoryPlans, Planloom } from "planloom";
import { handlePlanCommand } from "planloom/plan-tools";

const adapter: ConformanceAdapter<{ planId?: string }> = async ({ planId = "<id>" }, { signal }) => {
  await using planloom = new Planloom();
  return handlePlanCommand(`resume ${planId}`, { planloom, plans: memoryPlans(), signal });
};
export default adapter;
