import type { PlannerTask } from "../records/planner-task.ts";
import type { PatchFacts } from "./patch-facts.ts";
import type { TaskReplacement } from "./plan-patch.ts";

/** How a task may end without a person having been asked. */
export interface Unasked {
  /** It may be completed: a list may be empty, or have all of its outputs given. */
  readonly completes: boolean;
  /** It may be skipped by a condition. Only tasks with `join` run after it then. */
  readonly skips: boolean;
}

/** States in which a task has been executed, or is being executed. */
export const begun: ReadonlySet<PlannerTask["status"]> = new Set(["running", "completed", "failed", "cancelled"]);

/** True for a task that may run though what it comes after was skipped. */
export function isJoin({ join }: PlannerTask): boolean {
  return join !== undefined && join !== "all";
}

/** The new tasks that replace a task. */
export function newTasks({ replaced_by }: Pick<TaskReplacement, "replaced_by">, { added }: PatchFacts): PlannerTask[] {
  return replaced_by.flatMap((id) => added.get(id) ?? []);
}
