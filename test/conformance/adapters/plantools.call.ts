import { mcpCli } from "@planloom/compat";
import { defineTool, Planloom } from "planloom";
import { handlePlanTool } from "planloom/plan-tools";

interface Input {
  readonly tool: string;
  readonly args?: unknown;
  readonly plannerReturns?: unknown;
  readonly plannerRaises?: string;
}

/** The tools are those that the planner's plan names. */
const adapter: ConformanceAdapter<Input> = async (input, { signal }) => {
  const plan = mcpCli.read(input.plannerReturns ?? { title: "", steps: [] });
  const processPhase1 = async () => {
    if (input.plannerRaises !== undefined) throw new Error(input.plannerRaises);
    return { success: true, data: plan };
  };
  const controller = { name: "case", processPhase1, processPhase2: processPhase1 };
  const names = new Set(["read", ...plan.planned_tasks.map(({ tool_id }) => tool_id ?? "read")]);
  const tools = [...names].map((id) => defineTool({ id, description: `Does ${id}.`, execute: () => `r:${id}` }));
  await using planloom = new Planloom({ controller, tools });
  return JSON.parse(await handlePlanTool(input.tool, input.args, { planloom, confirm: "never", signal }));
};
export default adapter;
