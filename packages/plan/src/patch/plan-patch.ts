import { z } from "zod";
import { newId } from "../records/new-id.ts";
import { PlannerTask } from "../records/planner-task.ts";
import { TaskId } from "../records/task-id.ts";

const isoNow = () => new Date().toISOString();

/** What replaces one task of the plan. */
export const TaskReplacement = z.object({
  /** The task that goes. */
  task_id: TaskId,
  /** The tasks that replace it; empty when it is dropped. A new task may replace several. */
  replaced_by: z.array(TaskId).max(1_000).default([]),
  /** The task whose output its consumers read from now on: a new one, or one that the replaced task came after. */
  output_from: TaskId.nullable().default(null),
});
export type TaskReplacement = z.infer<typeof TaskReplacement>;

/** A task outside the region that had consumed what is replaced: the same work, to be done again under a new id. */
export const RenewedTask = z.object({ task_id: TaskId, new_task_id: TaskId });
export type RenewedTask = z.infer<typeof RenewedTask>;

/**
 * A proposed change of a region of a plan; the region is what `replacements` names. It holds only what is new, so it can
 * say nothing about tasks outside. `verifyPatch` proves it, `applyPatch` applies it.
 */
export const PlanPatch = z.object({
  patch_id: TaskId.default(() => newId()),
  plan_id: TaskId,
  /** The plan's revision that the patch was made for: the id of the last patch applied to it, `""` for none. */
  base: z.string().default(""),
  replacements: z.array(TaskReplacement).min(1).max(100_000),
  /** The new tasks, pending and without output. */
  tasks: z.array(PlannerTask).max(100_000).default([]),
  renewed: z.array(RenewedTask).max(100_000).default([]),
  /** Why, for people. */
  reason: z.string().max(10_000).optional(),
  creation_time: z.string().default(isoNow),
});
export type PlanPatch = z.infer<typeof PlanPatch>;
export type PlanPatchInput = z.input<typeof PlanPatch>;
