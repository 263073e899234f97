import { TaskData } from "@planloom/plan";
import { defineTool, run, toolExecutor } from "@planloom/runtime";

interface Input {
  readonly guardSays: string;
  readonly guardsEnabled: boolean;
  readonly tool: StubTool;
}

/** The call is made twice, and one call is allowed: where the second is refused for that, the first was counted. */
const adapter: ConformanceAdapter<Input> = async ({ guardSays, guardsEnabled, tool }, { signal, stubTools }) => {
  const task = { execution_type: "tool" as const, tool_id: "t", arguments: { k: 1 } };
  const stubs = stubTools({ t: tool });
  const executors = [toolExecutor(stubs.tools.map((stub) => defineTool(stub)))];
  const guards = { precondition: () => (guardSays === "allow" ? undefined : guardSays), total: 1 };
  const plan = TaskData.parse({ planned_tasks: ["first", "second"].map((task_id) => ({ ...task, task_id })) });
  const { results } = await run(plan, { executors, concurrency: 1, signal, ...(guardsEnabled && { guards }) });
  const [first, second] = results;
  const counted = second?.error?.details?.guard === "budget";
  return {
    success: first?.status === "completed",
    result: first?.output ?? null,
    error: first?.error?.message ?? null,
    toolCalled: (first?.attempts ?? 0) > 0 && stubs.calls.length > 0,
    recorded: counted ? [[first?.uid, first?.input, first?.output]] : [],
  };
};
export default adapter;
