import { agentGrid } from "@planloom/compat";
import { defineTool, run, toolExecutor } from "@planloom/runtime";

interface Input {
  readonly tasks?: readonly { readonly task_id: string }[];
  readonly failing?: string;
  readonly type?: string;
}
const { read } = agentGrid;

/** Tasks with tools of their own, where a failure ends the run as it does there; or one task of a type. */
const adapter: ConformanceAdapter<Input> = async (input, { signal, stubTools, runOfType, skip }) => {
  const { tasks, failing, type = "" } = input;
  if (type === "system_call") return skip("a system_call is a tool call here: 2026-11-21-one-vocabulary.md");
  if (tasks === undefined) return runOfType(type, signal);
  const spec = tasks.map(({ task_id }) => [task_id, task_id === failing ? { fails: "fails" } : { returns: task_id }]);
  const stubs = stubTools(Object.fromEntries(spec));
  const called = read(tasks.map((task) => ({ execution_type: "tool_call", tool_id: task.task_id, ...task })));
  const executors = [toolExecutor(stubs.tools.map((tool) => defineTool(tool)))];
  const { results, plan } = await run(called, { executors, onFailure: "halt", signal });
  const statuses = results.map(({ task_id, status }) => [task_id, status]);
  const ran = results.map(({ task_id }) => [`${task_id}Run`, stubs.calls.some(({ tool }) => tool === task_id)]);
  return { ...Object.fromEntries([...statuses, ...ran]), root: plan.status };
};
export default adapter;
