import { JsonCopyError, jsonCopy } from "../json-copy.ts";
import { type ErrorClass, errorClassOf, retryAfterMs } from "../ports/error-class.ts";
import { isRetryable, type TaskError, TaskErrorCode, taskError, taskErrorFrom } from "../task-error.ts";
import type { WorkOutcome } from "./timed-work.ts";

/** What an attempt means for its task. */
export type Verdict =
  | {
      readonly type: "completed";
      readonly output: unknown;
      /** Size as JSON. */
      readonly bytes: number;
    }
  | {
      readonly type: "failed";
      readonly error: TaskError;
      readonly retryable: boolean;
      readonly errorClass: ErrorClass;
      /** The other side asked for a wait of so many milliseconds. */
      readonly retryAfterMs?: number | undefined;
    }
  | { readonly type: "stopped"; readonly abandoned: boolean };

/** Limits in milliseconds; `Infinity` for none. */
export interface VerdictOptions {
  readonly timeoutMs: number;
  readonly idleTimeoutMs: number;
  /** Of all attempts of the task. */
  readonly totalTimeoutMs: number;
  readonly maxOutputBytes: number;
  /** Whether errors say where they were thrown. */
  readonly errorStacks: boolean;
  /** The run was cancelled: what an executor throws is its way of stopping. */
  readonly cancelled: boolean;
}

/** Judges how an attempt ended; an output is made JSON here, or found to be none. */
export function judge(outcome: WorkOutcome, options: VerdictOptions): Verdict {
  switch (outcome.type) {
    case "value":
      return judgeOutput(outcome.value, options.maxOutputBytes);
    case "stopped":
      return { type: "stopped", abandoned: outcome.abandoned };
    case "thrown":
      if (options.cancelled) return { type: "stopped", abandoned: false };
      return {
        type: "failed",
        error: taskErrorFrom(outcome.thrown, { stacks: options.errorStacks }),
        retryable: isRetryable(outcome.thrown),
        errorClass: errorClassOf(outcome.thrown),
        retryAfterMs: retryAfterMs(outcome.thrown),
      };
    case "timeout":
      return {
        type: "failed",
        error: timeoutError(outcome, options),
        retryable: outcome.limit !== "total",
        errorClass: "timeout",
      };
    default:
      return outcome satisfies never;
  }
}

function judgeOutput(value: unknown, maxBytes: number): Verdict {
  try {
    const { value: output, bytes } = jsonCopy(value, { maxBytes });
    return { type: "completed", output, bytes };
  } catch (error) {
    // The same call would give the same output.
    return { type: "failed", error: outputError(error, maxBytes), retryable: false, errorClass: "other" };
  }
}

/** What an attempt that took too long fails with. */
export function timeoutError(
  { limit, abandoned }: Pick<Extract<WorkOutcome, { type: "timeout" }>, "limit" | "abandoned">,
  { timeoutMs, idleTimeoutMs, totalTimeoutMs }: Pick<VerdictOptions, "timeoutMs" | "idleTimeoutMs" | "totalTimeoutMs">,
): TaskError {
  const [what, timeout_ms] = {
    attempt: ["The attempt took longer than", timeoutMs] as const,
    idle: ["The attempt gave no sign of life for", idleTimeoutMs] as const,
    total: ["All attempts together took longer than", totalTimeoutMs] as const,
  }[limit];
  const hint = {
    attempt:
      " Raise `timeout_ms` of the task or `taskTimeoutMs` of the run; a model has a limit of its own, `timeoutMs`.",
    idle: " Raise `idleTimeoutMs`.",
    total: " Raise `totalTimeoutMs`.",
  }[limit];
  const ending = abandoned ? " It ignored its signal and was abandoned." : "";
  return taskError(TaskErrorCode.TIMEOUT, `${what} ${timeout_ms} ms.${ending}${hint}`, {
    timeout_ms,
    ...(limit !== "attempt" && { limit }),
    ...(abandoned && { abandoned }),
  });
}

function outputError(error: unknown, maxBytes: number): TaskError {
  if (!(error instanceof JsonCopyError)) {
    const { message } = taskErrorFrom(error);
    return taskError(TaskErrorCode.OUTPUT_NOT_JSON, `The output cannot be read as JSON: ${message}`);
  }
  const where = error.path === "" ? {} : { path: error.path };
  if (error.reason === "not-json") {
    return taskError(TaskErrorCode.OUTPUT_NOT_JSON, `The output is not JSON. ${error.message}`, where);
  }
  return taskError(
    TaskErrorCode.OUTPUT_TOO_LARGE,
    `The output is too large. ${error.message} Let the call give less, or raise \`maxOutputBytes\`.`,
    {
      max_bytes: maxBytes,
      ...where,
    },
  );
}
