import { isCallbackError } from "@planloom/plan";
import { shownName } from "@planloom/plan/internals";
import { errorTrace } from "./error-trace.ts";

/** Codes of `TaskError`: why a task failed or was skipped. Each line says which `details` it carries. */
export const TaskErrorCode = {
  /**
   * The executor said no; `details` has what its error had: `error_code`, `error_name`, `error_status`, `error_stack`, `error_cause` (with
   * causes of its own) and `error_errors`; see `ErrorTrace`. Cure: Read the message, which is the tool's own; mend the input or the tool, then
   * resume or fork the run.
   */
  FAILED: "TASK_FAILED",
  /**
   * An attempt took too long; `details.timeout_ms`; `details.limit` is `idle` when it gave no sign of life, `total` when all attempts together
   * were too long; `details.abandoned` when the call still ran in spite of its signal. Cure: Raise the limit that `details.limit` names, or make
   * the call shorter.
   */
  TIMEOUT: "TASK_TIMEOUT",
  /** The run was cancelled while the task ran; `details.abandoned` likewise. Cure: Resume the run to make the call again. */
  CANCELLED: "TASK_CANCELLED",
  /**
   * A reference in the arguments has no value, or is malformed; `details.reference`. Cure: Refer to a path that the output has, or mark the
   * reference as optional with `?`.
   */
  REFERENCE: "TASK_REFERENCE",
  /** `convertor_code` failed, ran into a limit, or gave no object. Cure: Mend the expression; it is JSONata and has to give an object. */
  CONVERTOR: "TASK_CONVERTOR",
  /** Nothing says which resource is to execute the task. Cure: Name the resource in the task, or give the run a Stage 2. */
  UNBOUND: "TASK_UNBOUND",
  /** Stage 2 found no step; `details.error_code`. Cure: See the code in `details.error_code`; name the task's resource and its arguments. */
  BIND: "TASK_BIND",
  /** The input does not fit the resource's schema; `details.issues`. Cure: Mend the arguments that `details.issues` names. */
  INVALID_INPUT: "TASK_INVALID_INPUT",
  /** The outputs that a task refers to make an input over the limit: 64 MiB, `maxOutputBytes` where that is more, eight times `maxOutputBytes` (1 MiB at least) where it is less; `details.max_bytes`. Cure: Refer to fewer or smaller outputs, or raise `maxOutputBytes`. */
  INPUT_TOO_LARGE: "TASK_INPUT_TOO_LARGE",
  /**
   * A secret that the task names is unknown, not for this resource, or could not be had; `details.secret`, `details.uid`. Cure: Give the run
   * that secret, and allow it for this resource.
   */
  SECRET: "TASK_SECRET",
  /**
   * No executor has the resource; `details.kind`, `details.uid`. Cure: Give the run an executor that has the resource, or name another resource.
   */
  RESOURCE_NOT_FOUND: "TASK_RESOURCE_NOT_FOUND",
  /**
   * The resource cannot execute now; the task is skipped. `details.kind`, `details.uid`. Cure: Read the message; configure what the resource
   * lacks, and resume the run.
   */
  UNAVAILABLE: "TASK_UNAVAILABLE",
  /**
   * A person said no; `details.by` and `details.note` if they said who they are, and why. Cure: Nothing, if the person meant it; otherwise fork
   * the run from this task.
   */
  DENIED: "TASK_DENIED",
  /**
   * No budget is left that the task could spend; it is skipped. `details.budget`, `details.limit`, `details.spent`. Cure: Resume the run with a
   * larger budget.
   */
  BUDGET: "TASK_BUDGET",
  /**
   * Nothing could start it: all slots of a limit are held by attempts that were abandoned and have not ended; it is skipped. `details.limit`
   * names the limit, `details.slots` says how many it has. Cure: End the calls that hold the slots, or raise the limit, and resume the run.
   */
  STALLED: "TASK_STALLED",
  /**
   * A call of it was begun in an earlier session, and it is unknown whether it was carried out; with `onUnknown: "fail"`. (A task that fails
   * since its call was stopped, or its worker died, carries the same `details.begun` beside its own code.) `details.begun`: `{ at, attempt, uid
   * }`. Cure: Find out whether the call was carried out, and say so with `supplyOutput`, or resume with `onUnknown`.
   */
  UNKNOWN_OUTCOME: "TASK_UNKNOWN_OUTCOME",
  /**
   * A guard kept the call from being made; the message starts "Guard blocked: ". `details.guard`. Cure: Do what the guard's words ask for, or
   * change the guard.
   */
  BLOCKED: "TASK_BLOCKED",
  /**
   * The worker or dispatcher of its subgraph failed (a worker process died, say); `details.subgraph_id`. Cure: Look at `details.problem` and at
   * the worker's standard error; resume the run.
   */
  DISPATCH: "TASK_DISPATCH",
  /** Its condition (`when`) was false; it is skipped. `details.condition`. Cure: Nothing: this is what the plan says. */
  NOT_MET: "TASK_NOT_MET",
  /**
   * Its condition failed, ran into a limit, or gave neither true nor false. `details.condition`. Cure: Mend the condition so that it gives true
   * or false.
   */
  CONDITION: "TASK_CONDITION",
  /**
   * Nothing was chosen (`choose`): no condition is true, or the output names none of the branches; `details.branches`. Cure: Add a branch that
   * is taken otherwise (`else`), or mend the conditions.
   */
  CHOICE: "TASK_CHOICE",
  /**
   * What `for_each.items` gives is not a list, or a longer one than `max_items` allows; `details.items` its length, `details.max_items`. Cure:
   * Refer to a list, or raise `max_items`.
   */
  ITEMS: "TASK_ITEMS",
  /**
   * Too many elements of a `for_each` failed; `details.element` is the id of the first, `details.error` its error, `details.failed` and
   * `details.total` count. Cure: See `details.error`; allow more failures, or mend the elements and resume the run.
   */
  ELEMENT: "TASK_ELEMENT",
  /**
   * `wait` of the task cannot be read as a time, a duration or a name (`details.field`), or signals cannot be sent to its run (`details.event`).
   * Cure: Mend the field of `wait` that `details.field` names.
   */
  WAIT: "TASK_WAIT",
  /**
   * What a task waited for did not come in time; `details.due_at`, and `details.event` and `details.key`, or `details.polls`. Cure: Send the
   * signal in time, or give the wait more of it; resume or fork the run.
   */
  DEADLINE: "TASK_DEADLINE",
  /**
   * Something the task depends on failed or was skipped, or the task whose output would be an element's was skipped; `details.task_id`. Cure:
   * Mend the task that `details.task_id` names, and resume the run.
   */
  DEPENDENCY: "TASK_DEPENDENCY",
  /** A failure halted the run before this task started; `details.task_id`. Cure: Mend the task that failed, and resume the run. */
  HALTED: "TASK_HALTED",
  /**
   * A function of yours other than the executor's `execute` (`estimate`, `unavailable`) threw, gave a promise or gave nonsense;
   * `details.callback` names it, `details.problem` is `threw`, `promise`, `answer` or `timeout`. Cure: Mend the function that `details.callback`
   * names.
   */
  CALLBACK: "TASK_CALLBACK",
  /** The output is not a JSON value; `details.path`. Cure: Return plain JSON: no functions, no circles, no bigint. */
  OUTPUT_NOT_JSON: "TASK_OUTPUT_NOT_JSON",
  /** The output is over the limit; `details.max_bytes`. Cure: Return less, or raise `maxOutputBytes`. */
  OUTPUT_TOO_LARGE: "TASK_OUTPUT_TOO_LARGE",
  /** The output does not fit the tool's output schema; `details.issues`. Cure: Mend the tool, or its output schema. */
  OUTPUT_INVALID: "TASK_OUTPUT_INVALID",
  /** An agent answered `success: false`; the message is the agent's. Cure: Read the message, which is the agent's own. */
  AGENT_REFUSED: "TASK_AGENT_REFUSED",
  /**
   * A task of a nested plan failed; `details.path` are the ids from the outside in, `details.error` what failed. Cure: See `details.error` for
   * the task that failed.
   */
  NESTED: "TASK_NESTED",
  /**
   * Something in its nested plan waits for a person, a time or a signal; the task itself waits with it, and continues from there when the run is
   * resumed. `details.waiting` lists what: `{ id, content_hash, uid?, input? }`, or `{ id, content_hash, wait }`. Cure: Answer what
   * `details.waiting` lists, and resume the run.
   */
  WAITING: "TASK_WAITING",
  /**
   * A plan-execute loop ended without an answer; `details.end_reason`, `details.rounds`. Cure: Allow more rounds, or say the objective more
   * exactly.
   */
  NO_ANSWER: "TASK_NO_ANSWER",
} as const;
export type TaskErrorCode = (typeof TaskErrorCode)[keyof typeof TaskErrorCode];

/** Why a task failed or was skipped, as plain JSON. */
export interface TaskError {
  readonly code: TaskErrorCode;
  /** For people. A thrown error's own message where the executor threw. */
  readonly message: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * Thrown to fail a task with a code of its own; `retryable: false` means that another attempt cannot help, and `outcome` what is known of the call's
 * effects (`Executor.execute`).
 */
export class TaskFailure extends Error {
  override readonly name = "TaskFailure";
  readonly code: TaskErrorCode;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryable: boolean;
  readonly outcome: "not-done" | "unknown" | undefined;

  constructor(
    code: TaskErrorCode,
    message: string,
    options: {
      details?: Readonly<Record<string, unknown>>;
      retryable?: boolean;
      outcome?: "not-done" | "unknown";
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
    this.retryable = options.retryable ?? true;
    this.outcome = options.outcome;
  }
}

const maxMessageLength = 10_000;

/** The thrown value, or an error in its place where reading its class already throws (a proxy whose traps throw). */
export function legible(thrown: unknown): unknown {
  try {
    void (thrown instanceof Error);
    return thrown;
  } catch {
    return new Error("The executor threw a value that cannot be inspected.");
  }
}

/**
 * The `TaskError` for any thrown value: errors, texts, `null`, cyclic objects. Never throws.
 * @param options.fallback code for a value that has no code of `TaskErrorCode`. @default FAILED
 * @param options.stacks whether the details say where it was thrown. @default false
 */
export function taskErrorFrom(
  value: unknown,
  options: { readonly fallback?: TaskErrorCode; readonly stacks?: boolean } = {},
): TaskError {
  const { fallback = TaskErrorCode.FAILED, stacks = false } = options;
  const thrown = legible(value);
  if (thrown instanceof TaskFailure) {
    // Where we refuse a task says nothing to anybody; what made us refuse it does.
    // A vault that fails may say what was sent to it, which is not known for a secret yet.
    const { error_cause } = thrown.code === TaskErrorCode.SECRET ? {} : errorTrace(thrown, { stacks });
    return taskError(thrown.code, thrown.message, { ...thrown.details, ...(error_cause && { error_cause }) });
  }
  if (isCallbackError(thrown)) return taskError(TaskErrorCode.CALLBACK, thrown.message, thrown.details);
  const message = messageOf(thrown);
  const details: Record<string, unknown> = {};
  const code = ownText(thrown, "code");
  const name = thrown instanceof Error ? readText(thrown, "name") : undefined;
  if (code !== undefined) details.error_code = code;
  if (name !== undefined && name !== "Error") details.error_name = name;
  return taskError(fallback, message, { ...details, ...errorTrace(thrown, { stacks }) });
}

export function taskError(
  code: TaskErrorCode,
  message: string,
  details: Readonly<Record<string, unknown>> = {},
): TaskError {
  const short = message.length > maxMessageLength ? `${message.slice(0, maxMessageLength)}… (cut)` : message;
  return Object.keys(details).length === 0 ? { code, message: short } : { code, message: short, details };
}

/** False when the thrown value says that another attempt cannot help. */
export function isRetryable(thrown: unknown): boolean {
  try {
    return !(typeof thrown === "object" && thrown !== null && (thrown as { retryable?: unknown }).retryable === false);
  } catch {
    return true;
  }
}

function messageOf(thrown: unknown): string {
  if (typeof thrown === "string") return thrown === "" ? "The executor threw an empty text." : thrown;
  const message = readText(thrown, "message");
  if (message !== undefined && message !== "") return message;
  if (thrown instanceof Error) return `The executor threw ${readText(thrown, "name") ?? "an error"} without a message.`;
  return `The executor threw ${describe(thrown)} instead of an error.`;
}

/** A short text for any value; never throws. */
export function describe(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "bigint") return `${value}n (bigint)`;
  if (typeof value === "symbol" || typeof value === "function") return `a ${typeof value}`;
  if (typeof value === "number") return `${value} (number)`;
  if (typeof value === "string") return `${JSON.stringify(shownName(value))} (string)`;
  if (typeof value !== "object") return `${JSON.stringify(value)} (${typeof value})`;
  try {
    const text = JSON.stringify(value);
    if (text !== undefined) return text.length > 200 ? `${text.slice(0, 200)}…` : text;
  } catch {
    // Cyclic, or a getter that throws: its type says enough.
  }
  return Array.isArray(value) ? "an array that is not JSON" : "an object that is not JSON";
}

function readText(value: unknown, key: string): string | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  try {
    const text: unknown = (value as Record<string, unknown>)[key];
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}

function ownText(value: unknown, key: string): string | undefined {
  const text = readText(value, key);
  return text !== undefined && text !== "" && text.length <= 200 ? text : undefined;
}
