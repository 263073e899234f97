import { defineTool, memoryPlans, Planloom } from "planloom";
import { dialects } from "planloom/plan";
import { handlePlanCommand } from "planloom/plan-tools";

const adapter: ConformanceAdapter<unknown> = async (_, { signal }) => {
  const steps = [{ index: "1", title: "A", tool: "a", args: {}, depends_on: [] }];
  const plans = memoryPlans();
  const { id } = await plans.save(dialects.mcpCli.read({ id: "0123456789abcdef", title: "", steps }));
  const tools = [defineTool({ id: "a", description: "A tool", execute: () => "ok" })];
  await using planloom = new Planloom({ tools });
  await handlePlanCommand(`run ${id}`, { planloom, plans, signal });
  const { run } = await handlePlanCommand(`resume ${id.slice(0, 8)}`, { planloom, plans, signal });
  return { resumes: run?.end_reason === "completed" };
};
export default adapter;
