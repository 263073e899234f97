import { defineTool, memoryJournal, Planloom } from "planloom";
import { handlePlanTool } from "planloom/plan-tools";

/** Whether a plan that a plan tool runs can be gone on with: every task of it is in the journal. */
const adapter: ConformanceAdapter<{ readonly tool: string }> = async ({ tool }, { signal }) => {
  const data = [{ task_id: "1", execution_type: "tool", tool_id: "t" }];
  const processPhase1 = async () => ({ success: true, data });
  const controller = { name: "case", processPhase1, processPhase2: processPhase1 };
  const journal = memoryJournal();
  const tools = [defineTool({ id: "t", description: "A tool", execute: () => "ok" })];
  await using planloom = new Planloom({ controller, tools, journal });
  const options = { planloom, confirm: "never", signal } as const;
  const { plan_id } = JSON.parse(await handlePlanTool("plan_create", { goal: "g" }, options));
  await handlePlanTool(tool, { goal: "g", plan_id }, options);
  const [run] = await journal.listRuns();
  return { checkpointWritten: run !== undefined && (await journal.getTasks(run.run_id)).length === run.tasks };
};
export default adapter;
