import { handlePlanCommand, memoryPlans, Planloom } from "planloom";

const adapter: ConformanceAdapter<unknown> = async (_, { signal }) => {
  await using planloom = new Planloom();
  return handlePlanCommand("resume <id>", { planloom, plans: memoryPlans(), signal });
};
export default adapter;
