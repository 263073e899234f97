import type { PlannerTaskInput, TaskDataInput } from "@planloom/plan";
import type { Unresolved } from "./draft/unresolved.ts";

/** A plan made without a model. */
export interface EmbeddedPlan {
  /** What `TaskData.parse` takes; no ids or times but those of its tasks, so equal goals give equal plans. */
  readonly plan: TaskDataInput & { readonly planned_tasks: PlannerTaskInput[] };
  /** What the goal says and the plan does not do; empty when all of it is covered. */
  readonly unresolved: readonly Unresolved[];
}
