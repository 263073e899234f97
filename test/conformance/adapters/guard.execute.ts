import { TaskData } from "@planloom/plan";
import { defineTool, memoryJournal, run, toolExecutor } from "@planloom/runtime";

interface Input {
  readonly guardSays: string;
  readonly guardsEnabled: boolean;
  readonly tool: StubTool;
}

const adapter: ConformanceAdapter<Input> = async ({ guardSays, guardsEnabled, tool }, { signal, stubTools }) => {
  const task = { task_id: "1", execution_type: "tool" as const, tool_id: "t", arguments: { k: 1 } };
  const stubs = stubTools({ t: tool });
  const executors = [toolExecutor(stubs.tools.map((stub) => defineTool(stub)))];
  const guards = { precondition: () => (guardSays === "allow" ? undefined : guardSays) };
  const journal = memoryJournal();
  const plan = TaskData.parse({ planned_tasks: [task] });
  const { run_id, results } = await run(plan, { executors, journal, signal, ...(guardsEnabled ? { guards } : {}) });
  const [result] = results;
  // What was called is in the journal in any case; here the question is what guards count.
  const counted = guardsEnabled ? await journal.getTasks(run_id) : [];
  return {
    success: result?.status === "completed",
    result: result?.output ?? null,
    error: result?.error?.message ?? null,
    toolCalled: stubs.calls.length > 0,
    recorded: counted.filter(({ usage }) => usage !== undefined).map((each) => [each.uid, each.input, each.output]),
  };
};
export default adapter;
