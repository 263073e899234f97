import { defineTool, memoryPlans, Planloom, TaskData } from "planloom";
import { handlePlanCommand, parsePlanCommand } from "planloom/plan-tools";

/** What was read, and what the command then says. A plan is one call of each tool; one that is to be run is there. */
const adapter: ConformanceAdapter<{ readonly args: string; readonly tools?: string[] }> = async (input, { signal }) => {
  const command = parsePlanCommand(input.args);
  const plans = memoryPlans();
  const isRun = command.action === "run" && command.planId !== undefined;
  const names = input.tools ?? (isRun ? ["known"] : []);
  const tools = names.map((id) => defineTool({ id, description: `Does ${id}.`, execute: () => "ok" }));
  const data = names.map((id) => ({ task_id: id, execution_type: "tool" as const, tool_id: id }));
  const answer = async () => ({ success: true, data });
  const controller = { name: "case", processPhase1: answer, processPhase2: answer };
  await using planloom = new Planloom({ tools, controller });
  if (isRun) await plans.save(TaskData.parse({ task_id: command.planId, planned_tasks: data }));
  return { ...command, ...(await handlePlanCommand(input.args, { planloom, plans, signal })) };
};
export default adapter;
