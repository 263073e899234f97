import { TaskData } from "@planloom/plan";
import { TaskErrorCode, TaskFailure } from "../task-error.ts";

/**
 * The plan of a step, or a plan that a step is to run.
 * @param what whose plan it is, for the error
 * @param within where in the plan what `what` means is
 * @throws TaskFailure FAILED with the first thing that is wrong, and where
 */
export function parseInnerPlan(given: unknown, what: string, within = ""): TaskData {
  const { success, data, error } = TaskData.safeParse(given);
  if (success) return data;
  const [issue] = error.issues;
  const place = (issue?.path ?? []).join(".");
  const path = place.startsWith(within) ? place.slice(within.length) : place;
  const more = error.issues.length > 1 ? ` (and ${error.issues.length - 1} more)` : "";
  const message = `${what} is not valid: ${path === "" ? "" : `\`${path}\`: `}${issue?.message}${more}.`;
  throw new TaskFailure(TaskErrorCode.FAILED, message, { retryable: false });
}
