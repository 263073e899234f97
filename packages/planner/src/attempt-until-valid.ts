import {
  type AttemptFeedback,
  type CallOptions,
  ControllerError,
  type ControllerReply,
  type ModelCall,
  withoutThinking,
} from "@planloom/controller";
import { IssueCode, isCallbackError, isRecord, type PlanIssue, thrownText } from "@planloom/plan";
import { AnswerLimit } from "./answer-limit.ts";
import { PlannerError, PlannerErrorCode } from "./errors.ts";
import { cutText } from "./prompts/cut-text.ts";
import { settleOnAbort } from "./settle-on-abort.ts";

/** Characters of an answer that are kept for feedback and error details. */
const maxKeptAnswer = 50_000;

/** The result of reading a reply; `issues` without an error accompany a value. */
export interface Reading<Value> {
  readonly value?: Value;
  readonly issues: readonly PlanIssue[];
  /** Asking again would bring nothing new, though issues are errors. @default false */
  readonly settled?: boolean;
}

export interface AttemptRecord extends AttemptFeedback {
  readonly calls: readonly ModelCall[];
  /** Requests that it took of `maxAttempts`: retries of the connection count, requests that the endpoint refused for their form do not. */
  readonly requests: number;
  readonly durationMs: number;
}

export interface AttemptLoop<Value> {
  readonly maxAttempts: number;
  /** Limit for one answer of the controller, in milliseconds. */
  readonly timeoutMs: number;
  /** A refusal of this controller is its last word. */
  readonly deterministic: boolean;
  readonly signal: AbortSignal | undefined;
  /** Asks the controller; `feedback` is what earlier attempts got wrong, oldest first, and `options` are to be passed on. */
  readonly send: (feedback: readonly AttemptFeedback[], options: CallOptions) => Promise<ControllerReply>;
  /** Reads and judges a successful reply; the value counts only when no issue is an error. */
  readonly read: (reply: ControllerReply) => Reading<Value>;
  /** Hears of each attempt, also of one that ends the loop with an error, where a model was called for it. */
  readonly onAttempt: (record: AttemptRecord) => void;
}

export type AttemptResult<Value> =
  | {
      readonly found: true;
      readonly value: Value;
      readonly reply: ControllerReply;
      readonly attempts: readonly AttemptRecord[];
    }
  | { readonly found: false; readonly attempts: readonly AttemptRecord[]; readonly cause?: unknown };

/** Asking again cannot help: wrong options, a refused key, an account without credit, a model that is not there, a request that is too large. */
function isFinalError(error: unknown): boolean {
  if (error instanceof ControllerError) return !error.retryable;
  return error instanceof PlannerError && error.code === PlannerErrorCode.PROMPT_TOO_LARGE;
}

/**
 * Asks, reads, and asks again with the issues fed back, until a reply is valid, `maxAttempts` are used up or a deterministic
 * controller refuses. A rejected call counts as an attempt (the Planner Agent retries on transport errors too), and every call as many as the
 * transport made of it, so that retries do not multiply; except where asking again cannot help.
 *
 * @throws what the controller rejected with, or `send` threw, when asking again cannot help; PlannerError TIMEOUT when there was no
 *   answer in time; `signal.reason` after an abort.
 */
export async function attemptUntilValid<Value>(loop: AttemptLoop<Value>): Promise<AttemptResult<Value>> {
  const attempts: AttemptRecord[] = [];
  let cause: unknown;
  let tries = 0;
  for (let attempt = 1; tries < loop.maxAttempts; attempt += 1) {
    loop.signal?.throwIfAborted();
    const started = performance.now();
    const feedback = attempts.map(({ attempt, issues, answer }) =>
      answer === undefined ? { attempt, issues } : { attempt, issues, answer },
    );
    let reply: ControllerReply;
    let requests = 1;
    cause = undefined;
    const limit = new AnswerLimit(loop.signal, loop.timeoutMs);
    const made: ModelCall[] = [];
    try {
      const onCall = (call: ModelCall) => void made.push(call);
      const options = { maxRequests: loop.maxAttempts - tries, signal: limit.signal, onCall };
      reply = checkReply(await settleOnAbort(loop.send(feedback, options), limit.signal));
      requests = requestsOf(reply);
    } catch (error) {
      requests = triesOf(error);
      const stopped = loop.signal?.aborted === true;
      const isLast = stopped || limit.passed || isCallbackError(error) || isFinalError(error);
      if (isLast) {
        const last = stopped || !limit.passed ? error : noAnswer(loop.timeoutMs, attempt, attempts);
        // Nobody asks again, but what was asked may have cost something.
        if (made.length > 0) {
          const issues = refusal({ success: false, message: thrownText(last) });
          loop.onAttempt({ attempt, issues, calls: made, requests, durationMs: msSince(started) });
        }
        throw last;
      }
      cause = error;
      reply = { success: false, message: thrownText(error) };
    } finally {
      limit.stop();
    }
    tries += requests;
    const reading = reply.success ? loop.read(reply) : { issues: refusal(reply) };
    const accepted = reading.value !== undefined && !reading.issues.some(isError);
    const answer = accepted ? undefined : answerText(reply);
    const record: AttemptRecord = {
      attempt,
      issues: reading.issues,
      ...(answer === undefined ? {} : { answer }),
      // A call that failed gave no reply to be found in, but may have cost something.
      calls: reply.calls ?? made,
      requests,
      durationMs: msSince(started),
    };
    attempts.push(record);
    loop.onAttempt(record);
    if (accepted && reading.value !== undefined) {
      return { found: true, value: reading.value, reply, attempts };
    }
    const isFinal = loop.deterministic || reply.final === true;
    if (isFinal && !reply.success && cause === undefined) break;
    if (reading.settled === true) break;
  }
  return cause === undefined ? { found: false, attempts } : { found: false, attempts, cause };
}

function msSince(started: number): number {
  return Math.round(performance.now() - started);
}

/** A controller that hung once would hang again, so it is not asked again. */
function noAnswer(timeoutMs: number, attempt: number, attempts: readonly AttemptRecord[]): PlannerError {
  return new PlannerError(
    PlannerErrorCode.TIMEOUT,
    `The controller has not answered attempt ${attempt} within ${timeoutMs} ms (timeoutMs of the planner). Check what it waits for, or raise the limit.`,
    { details: { timeout_ms: timeoutMs, attempts: attempts.map(({ attempt, issues }) => ({ attempt, issues })) } },
  );
}

/** Requests that an answer took; another controller may say anything. */
function requestsOf({ requests }: ControllerReply): number {
  return typeof requests === "number" && requests >= 1 ? requests : 1;
}

/** How many attempts were made before the last failure. Requests that were refused for their form are none. */
function triesOf(error: unknown): number {
  const { tries = 1, refused = 0 } = error instanceof ControllerError ? error.details : {};
  return typeof tries === "number" && typeof refused === "number" ? Math.max(1, tries - refused) : 1;
}

export function isError(issue: PlanIssue): boolean {
  return issue.severity === "error";
}

/** `N attempts: first issues`, the end of the message when every attempt failed. They are counted as `maxAttempts` counts them: each request that a model was sent. "1 attempts" stays, since callers of the Planner Agent match it. */
export function failureText(attempts: readonly AttemptRecord[]): string {
  const issues = attempts.at(-1)?.issues.filter(isError) ?? [];
  const shown = issues.slice(0, 3).map(({ task_id, message }) => {
    const text = cutText(message, 300);
    return task_id === undefined || text.includes(task_id) ? text : `task "${task_id}": ${text}`;
  });
  const more = issues.length > shown.length ? ` (and ${issues.length - shown.length} more)` : "";
  const made = attempts.reduce((sum, { requests }) => sum + requests, 0);
  return `${made} attempts: ${shown.join(" ")}${more}`;
}

function checkReply(reply: unknown): ControllerReply {
  if (isRecord(reply) && typeof reply.success === "boolean") return reply as unknown as ControllerReply;
  return { success: false, message: "Expected the controller's reply to be an object with `success`." };
}

/** Why there is no value, as issues. */
function refusal(reply: ControllerReply): readonly PlanIssue[] {
  const issues = reply.issues ?? [];
  if (issues.some(isError)) return issues;
  const message = reply.message ?? "The controller refused without saying why.";
  return [{ code: IssueCode.UNREADABLE, severity: "error", message }, ...issues];
}

function answerText(reply: ControllerReply): string | undefined {
  // Its thoughts are not part of its answer.
  if (reply.text !== undefined) return cutText(withoutThinking(reply.text).trim(), maxKeptAnswer);
  if (reply.data === undefined) return undefined;
  if (typeof reply.data === "string") return cutText(reply.data, maxKeptAnswer);
  try {
    const text = JSON.stringify(reply.data);
    return text === undefined ? undefined : cutText(text, maxKeptAnswer);
  } catch {
    return undefined;
  }
}
