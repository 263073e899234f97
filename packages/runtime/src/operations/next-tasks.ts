import type { TaskDataInput } from "@planloom/plan";
import { advance } from "../core/advance.ts";
import { Limits } from "../core/limits.ts";
import { createRunState } from "../core/run-state.ts";
import { runnablePlan } from "../task-execution/runnable-plan.ts";

/**
 * Ids of the tasks that can start now, in the order in which `run` would start them: not completed themselves, all
 * dependencies completed. Completed are those whose status says so and those in `completed_tasks`.
 * @throws RuntimeError INVALID_PLAN
 */
export function nextTasks(given: TaskDataInput): string[] {
  const { plan, view } = runnablePlan(given);
  const state = createRunState(view, { limits: new Limits({ concurrency: Number.POSITIVE_INFINITY }) });
  const listed = new Set(plan.completed_tasks);
  for (const [task, { task_id, status }] of plan.planned_tasks.entries()) {
    if (status === "completed" || listed.has(task_id)) advance(state, { type: "recorded", task });
  }
  return advance(state, { type: "begin" }).flatMap((command) =>
    command.type === "start" ? [view.ids[command.task]!] : [],
  );
}
