import type { PlannerTask } from "@planloom/plan";
import type { BegunCall } from "../journal/journal.ts";
import { retryDelay, retryPolicy } from "../ports/retry.ts";
import { type TaskError, TaskErrorCode, taskError } from "../task-error.ts";
import type { ShellParts } from "../task-execution/shell-parts.ts";
import { timeoutError, type VerdictOptions } from "../task-execution/verdict.ts";
import type { OverdueCall } from "./overdue-calls.ts";

/** What a call that hung means for its task. */
export interface OverdueVerdict {
  readonly error: TaskError;
  /** How long to wait before the next attempt, in milliseconds; absent without a next attempt. */
  readonly retryInMs?: number;
}

/** What was seen of the task until its executor was ended. */
export interface OverdueTask {
  readonly task: PlannerTask;
  readonly attempts: number;
  /** The note about its own call, whose outcome is unknown. */
  readonly begun?: BegunCall | undefined;
  /** The same, also of a call within it. */
  readonly doubted?: BegunCall | undefined;
  /** What is left of the time for all its attempts, in milliseconds. */
  readonly leftMs: number;
}

/** Judges as an attempt in this process is judged: the same error, and another attempt where the policy allows one. */
export function judgeOverdue(
  { call, limit, timeoutMs }: OverdueCall,
  { settings, registry }: Pick<ShellParts, "settings" | "registry">,
  { task, attempts, begun, doubted, leftMs }: OverdueTask,
): OverdueVerdict {
  if (limit === "bind") {
    const message = `Stage 2 gave no step within ${timeoutMs} ms, and did not stop by itself.`;
    return { error: taskError(TaskErrorCode.BIND, message, { timeout_ms: timeoutMs }) };
  }
  const { totalTimeoutMs, idleTimeoutMs, retry, retryOn, maxAttempts, random } = settings;
  const cause = causeOf(limit, { timeoutMs, totalTimeoutMs, idleTimeoutMs });
  const within = call.nested ? ` It hung in a call of "${call.resource.id}" for its task "${call.task_id}".` : "";
  const message = `${cause.message}${within} It did not stop by itself, so the process that executed it was ended.`;
  const error = taskError(cause.code, message, { ...cause.details, ...(begun !== undefined && { begun }) });
  if (limit === "budget") return { error };
  // A call within it may have been carried out, and its next attempt would make it again.
  if (call.nested && doubted !== undefined) return { error };
  const resource = registry.find(call.kind, call.resource.id)?.resource ?? call.resource;
  const policy = retryPolicy(task, resource, retry, retryOn, "timeout");
  if (limit === "total" || attempts >= Math.min(policy.max_attempts, maxAttempts) || leftMs <= 1) return { error };
  return { error, retryInMs: retryDelay(policy, attempts, random) };
}

function causeOf(
  limit: Exclude<OverdueCall["limit"], "bind">,
  times: Pick<VerdictOptions, "timeoutMs" | "totalTimeoutMs" | "idleTimeoutMs">,
): TaskError {
  switch (limit) {
    case "budget":
      return taskError(TaskErrorCode.BUDGET, "A budget was used up while it ran.");
    case "stop":
      return taskError(TaskErrorCode.DISPATCH, "A call continued after it was stopped.");
    default:
      return timeoutError({ limit, abandoned: false }, times);
  }
}
