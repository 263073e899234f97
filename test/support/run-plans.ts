import { type PlannerTaskInput, type SubGraph, TaskData } from "@planloom/plan";
import { defineTool, type RunEvent, type RunResult, toolExecutor } from "@planloom/runtime";

/** `{ b: ["a"] }` is a plan whose task b depends on a; all are tool tasks for a tool of their own id unless said. */
export function planOf(
  tasks: Readonly<Record<string, readonly string[]>>,
  overrides: Readonly<Record<string, PlannerTaskInput>> = {},
): TaskData {
  return TaskData.parse({
    task_id: "plan",
    planned_tasks: Object.entries(tasks).map(([task_id, dependencies]) => ({
      task_id,
      execution_type: "tool",
      tool_id: task_id,
      dependencies: [...dependencies],
      ...overrides[task_id],
    })),
  });
}

export const statuses = ({ results }: RunResult) =>
  Object.fromEntries(results.map(({ task_id, status }) => [task_id, status]));

export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason as Error);
    });
  });

/** Collects events; `types` are theirs in order. */
export function recorder() {
  const events: RunEvent[] = [];
  return {
    events,
    onEvent: (event: RunEvent) => void events.push(event),
    types: () => events.map(({ type }) => type),
  };
}

/** Subgraphs that depend on none, of the tasks named. */
export const group = (plan: TaskData, parts: Readonly<Record<string, readonly string[]>>): SubGraph[] =>
  Object.entries(parts).map(([subgraph_id, ids]) => ({
    subgraph_id,
    tasks: plan.planned_tasks.filter(({ task_id }) => ids.includes(task_id)),
    dependencies: [],
  }));

/** What makes a task one for the workflow `uid`. */
export const dsl = (uid: string, args: Record<string, unknown> = {}) => ({
  execution_type: "dsl" as const,
  tool_id: null,
  parameters: { uid },
  arguments: args,
});

/** Tools that note their calls and give `{ id, input }`. */
export function notingTools(ids: readonly string[], waitMs = 0) {
  const calls: string[] = [];
  const make = (id: string) =>
    defineTool({
      id,
      description: "",
      async execute(input: Record<string, unknown>) {
        calls.push(id);
        if (waitMs > 0) await sleep(waitMs);
        return { id, input };
      },
    });
  return { calls, executors: [toolExecutor(ids.map(make))] };
}

export type ToolHandler = (
  input: Record<string, unknown>,
  context: { signal: AbortSignal; attempt: number; onProgress(p: unknown): void },
) => unknown;
/** A tool a handler. */
export const tools = (handlers: Record<string, ToolHandler>) =>
  toolExecutor(Object.entries(handlers).map(([id, execute]) => defineTool({ id, description: id, execute })));
export const echo: ToolHandler = (input) => ({ got: input });
