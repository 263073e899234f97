import { mcpCli } from "@planloom/compat";
import { defineTool, dryRun, type RunEvent, run, toolExecutor } from "@planloom/runtime";

interface Input {
  readonly plan: unknown;
  readonly tools: Record<string, StubTool>;
  readonly options?: { readonly variables?: Record<string, unknown>; readonly dry_run?: boolean };
}

const adapter: ConformanceAdapter<Input> = async ({ plan, tools, options = {} }, { signal, stubTools }) => {
  const [written, read] = [mcpCli.planSchema.parse(plan), mcpCli.read(plan)];
  const tooled = read.planned_tasks.map((task) => task.tool_id ?? "");
  const stubs = stubTools(tools, { silent: "name", also: tooled });
  const execute = (tool: (typeof stubs.tools)[number]) => async (input: Record<string, unknown>) => {
    const raw = await tool.execute(input, { signal });
    if (mcpCli.isErrorResult(raw)) throw new Error(mcpCli.errorText(raw));
    return mcpCli.extractResult(raw);
  };
  const executors = [toolExecutor(stubs.tools.map((tool) => defineTool({ ...tool, execute: execute(tool) })))];
  const [onStart, onComplete]: [unknown[], unknown[]] = [[], []];
  const { variables, dry_run = false } = options;
  const reported = (taskId: string, type: string) => {
    const task = read.planned_tasks.find(({ task_id }) => task_id === taskId);
    if (type === "task-start") onStart.push([taskId, task?.title, task?.tool_id]);
    if (type === "task-end" || type === "task-error") onComplete.push([taskId, type === "task-end"]);
  };
  const onEvent = (event: RunEvent) => ("taskId" in event ? reported(event.taskId, event.type) : undefined);
  // Of calls that run at one time, each in the place of its step.
  const calls = () => stubs.inOrder(tooled).map(({ tool, input }) => [tool, input]);
  if (dry_run) {
    const { steps } = dryRun(read, { executors, variables });
    for (const { task_id } of steps) for (const type of ["task-start", "task-end"]) reported(task_id, type);
    return { ...mcpCli.writeDryRun(written, steps, variables), replanned: false, calls: calls(), onStart, onComplete };
  }
  const { results } = await run(read, { executors, variables, signal, onEvent });
  return { ...mcpCli.writeRun(written, results, variables), replanned: false, calls: calls(), onStart, onComplete };
};
export default adapter;
