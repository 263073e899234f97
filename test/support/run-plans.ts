import { type PlannerTaskInput, TaskData } from "@planloom/plan";
import type { RunEvent, RunResult } from "@planloom/runtime";

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
