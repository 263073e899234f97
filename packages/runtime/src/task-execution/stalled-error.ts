import { EVERY_TASK, type Limits } from "../core/limits.ts";
import { type TaskError, TaskErrorCode, taskError } from "../task-error.ts";

/** The error of a task that is skipped since it waits for a limit whose slots are all abandoned. */
export function stalledError(limits: Limits, group: number): TaskError {
  const message = `It could not start, since ${heldBy(limits, group)}. End the work of these attempts, and resume the run.`;
  return taskError(TaskErrorCode.STALLED, message, { limit: nameOf(limits, group), slots: limits.capacity[group]! });
}

/** What keeps the task waiting. */
export function heldBy(limits: Limits, group: number): string {
  return `all ${limits.capacity[group]} slots of the limit "${nameOf(limits, group)}" are held by attempts that ignored their signal and have not ended`;
}

function nameOf({ names }: Limits, group: number): string {
  return group === EVERY_TASK ? "concurrency" : names[group]!;
}
