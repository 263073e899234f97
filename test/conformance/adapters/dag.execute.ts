import { dialects } from "@planloom/plan";
import { defineTool, run, toolExecutor } from "@planloom/runtime";

interface Input {
  readonly tasks?: readonly { readonly task_id: string }[];
  readonly failing?: string;
}

/** Every task calls a tool of its own; one of them fails. That library stops a plan then; ours is told to. */
const adapter: ConformanceAdapter<Input> = async ({ tasks, failing }, { signal, stubTools, skip }) => {
  if (tasks === undefined) return skip("every type is implemented here: 2026-11-21-one-vocabulary.md");
  const spec = tasks.map(({ task_id }) => [task_id, task_id === failing ? { fails: "fails" } : { returns: task_id }]);
  const stubs = stubTools(Object.fromEntries(spec));
  const called = tasks.map((task) => ({ execution_type: "tool_call", tool_id: task.task_id, ...task }));
  const { results, plan } = await run(dialects.agentGrid.read(called), {
    executors: [toolExecutor(stubs.tools.map((tool) => defineTool(tool)))],
    onFailure: "halt",
    signal,
  });
  const statuses = results.map(({ task_id, status }) => [task_id, status]);
  const ran = results.map(({ task_id }) => [`${task_id}Run`, stubs.calls.some(({ tool }) => tool === task_id)]);
  return { ...Object.fromEntries([...statuses, ...ran]), root: plan.status };
};
export default adapter;
