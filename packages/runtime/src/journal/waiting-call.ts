import { isRecord, type JsonSchema } from "@planloom/plan";
import { type WaitView, waitSentence } from "../ports/wait-view.ts";
import type { RunResult } from "../run-result.ts";
import { type TaskError, TaskErrorCode, TaskFailure } from "../task-error.ts";
import type { ApprovalAnswer, AskedQuestion } from "./journal.ts";

/** A call inside a task that waits for a person. Plain JSON. */
export interface WaitingCall extends Partial<AskedQuestion> {
  /** The ids of the tasks it is in, from the outside in, and its own, joined by `/`; what `approve` takes. */
  readonly id: string;
  /** What an answer is bound to: SHA-256 over plan content, resource and input. */
  readonly content_hash: string;
  /** The resource it is about to call. */
  readonly uid?: string;
  /** What it is about to call it with. */
  readonly input?: Readonly<Record<string, unknown>>;
  /**
   * Present for a call that was begun then (ISO 8601) and of which it is unknown whether it was carried out: a yes makes it again, a no
   * skips the task, and `supplyOutput` says what it gave.
   */
  readonly begun_at?: string;
  /** Beside `begun_at`: the JSON Schema that an output supplied instead is checked by, where the resource declares one of at most 16 KiB. */
  readonly output_schema?: JsonSchema;
  /** What a person answered already, where the run has not gone on with it: one in progress is about to, any other does when it is resumed. */
  readonly answer?: ApprovalAnswer;
  /** Present where no person is asked: a time or a signal is waited for. */
  readonly wait?: WaitView;
}

/** What waits inside the task that this is the error of; none for any other error. */
export function waitingCalls(error: TaskError | undefined): WaitingCall[] {
  const waiting = error?.code === TaskErrorCode.WAITING ? error.details?.waiting : undefined;
  return Array.isArray(waiting) ? waiting.filter(isWaitingCall) : [];
}

/** What people are asked inside the task that this is the error of. */
export function askedCalls(error: TaskError | undefined): WaitingCall[] {
  return waitingCalls(error).filter(({ wait }) => wait === undefined);
}

/** What people are asked, of a run that ended waiting: its tasks, and calls inside of tasks, each with what will be executed. */
export function questionsOf(result: RunResult): WaitingCall[] {
  return waitingIn(result, "").filter(({ wait }) => wait === undefined);
}

/** What waits in a run that is nested in the task at `path`; `""` for the outermost run. */
export function waitingIn({ results }: RunResult, path: string): WaitingCall[] {
  return results.flatMap(({ task_id, status, uid, input, content_hash = "", question, error, wait }) => {
    if (status !== "waiting_approval" && status !== "waiting") return [];
    const inner = waitingCalls(error);
    if (inner.length > 0) return inner;
    const id = path === "" ? task_id : `${path}/${task_id}`;
    if (status === "waiting") return [{ id, content_hash, wait: wait ?? {} }];
    return [
      { ...question, id, content_hash, ...(uid !== undefined && { uid }), ...(input !== undefined && { input }) },
    ];
  });
}

/** Thrown by an executor whose nested run waits: its task waits too. */
export function waitingFailure(waiting: readonly WaitingCall[], details: object = {}): TaskFailure {
  const asked = waiting.filter(({ wait }) => wait === undefined);
  const what = asked.map(({ id, uid }) => (uid === undefined ? id : `${uid} (${id})`));
  const message =
    asked.length > 0
      ? `It waits for an answer to ${what.join(", ")}.`
      : `Something in it waits: ${sleepText(waiting)}.`;
  return new TaskFailure(TaskErrorCode.WAITING, message, {
    retryable: false,
    details: { ...details, waiting },
  });
}

function sleepText(waiting: readonly WaitingCall[]): string {
  const some = waiting.slice(0, 3).map(({ id, wait = {} }) => `${id} ${waitSentence(wait)}`);
  return `${some.join(", ")}${waiting.length > 3 ? `, and ${waiting.length - 3} more` : ""}`;
}

function isWaitingCall(value: unknown): value is WaitingCall {
  return isRecord(value) && typeof value.id === "string" && typeof value.content_hash === "string";
}
