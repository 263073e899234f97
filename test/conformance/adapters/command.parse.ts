import { defineTool, memoryPlans, Planloom } from "planloom";
import { handlePlanCommand, parsePlanCommand } from "planloom/plan-tools";

/** What was read, and what the command then says; a plan is one call of each tool that the case offers. */
const adapter: ConformanceAdapter<{ readonly args: string; readonly tools?: string[] }> = async (input, { signal }) => {
  const command = parsePlanCommand(input.args);
  const names = input.tools ?? [];
  const tools = names.map((id) => defineTool({ id, description: `Does ${id}.`, execute: () => "ok" }));
  const data = names.map((id) => ({ task_id: id, execution_type: "tool", tool_id: id }));
  const answer = async () => ({ success: true, data });
  const controller = { name: "case", processPhase1: answer, processPhase2: answer };
  await using planloom = new Planloom({ tools, controller });
  // A plan that is to be run has to be there; the case is about what was typed.
  if (command.action === "run") return command;
  return { ...command, ...(await handlePlanCommand(input.args, { planloom, plans: memoryPlans(), signal })) };
};
export default adapter;
