import { dialects } from "@planloom/plan";
import { defineTool, type RunEvent, run, toolExecutor } from "@planloom/runtime";

interface Input {
  readonly plan: unknown;
  readonly tools: Record<string, StubTool>;
  readonly options?: { readonly variables?: Record<string, unknown>; readonly dry_run?: boolean };
}

const adapter: ConformanceAdapter<Input> = async ({ plan, tools, options = {} }, { signal, stubTools, skip }) => {
  const { mcpCli } = dialects;
  if (options.dry_run) return skip("a dry run resolves arguments here and makes up no results");
  const written = mcpCli.planSchema.parse(plan);
  const read = mcpCli.read(plan);
  const byId = new Map(read.planned_tasks.map((task) => [task.task_id, task]));
  const stubs = stubTools(tools, { silent: "name", also: read.planned_tasks.map((task) => task.tool_id ?? "") });
  const executed = stubs.tools.map((tool) =>
    defineTool({
      ...tool,
      execute: async (input: Record<string, unknown>, context) => {
        const raw = await tool.execute(input, context);
        if (mcpCli.isErrorResult(raw)) throw new Error(mcpCli.errorText(raw));
        return mcpCli.extractResult(raw);
      },
    }),
  );
  const [onStart, onComplete]: [unknown[], unknown[]] = [[], []];
  const onEvent = (event: RunEvent) => {
    const task = "taskId" in event ? byId.get(event.taskId) : undefined;
    if (event.type === "task-start") onStart.push([event.taskId, task?.title, task?.tool_id]);
    if (event.type === "task-end" || event.type === "task-error")
      onComplete.push([event.taskId, event.type === "task-end"]);
  };
  const rules = { onFailure: mcpCli.runRules.onFailure, concurrency: mcpCli.runRules.concurrency, signal, onEvent };
  const { results } = await run(read, { executors: [toolExecutor(executed)], variables: options.variables, ...rules });
  const calls = stubs.calls.map(({ tool, input }) => [tool, input]);
  return { ...mcpCli.writeRun(written, results, options.variables), replanned: false, calls, onStart, onComplete };
};
export default adapter;
