import { timerMs } from "@planloom/plan";
import type { RunState } from "../core/run-state.ts";
import { tryAgainWithin } from "../nested-keeping.ts";
import { retryDelay, retryPolicy } from "../ports/retry.ts";
import type { Settings } from "../run-settings.ts";
import type { TaskError } from "../task-error.ts";
import type { CoreLoop } from "./core-loop.ts";
import type { Reporter } from "./reporter.ts";
import type { ShellParts } from "./shell-parts.ts";
import type { TaskTable } from "./task-table.ts";
import type { Verdict } from "./verdict.ts";

export type FailedVerdict = Extract<Verdict, { type: "failed" }>;

/** What follows a failed attempt: another one, or the end with this error. */
export type RetryDecision = { readonly delayMs: number } | { readonly error: TaskError };

/** Decides whether another attempt follows a failed one, and waits until its time. */
export class Retries {
  readonly #parts: Pick<ShellParts, "host" | "lostTasks">;
  readonly #state: RunState;
  readonly #table: TaskTable;
  readonly #settings: Settings;
  readonly #reporter: Reporter;
  readonly #loop: CoreLoop;
  readonly #delays = new Map<number, NodeJS.Timeout>();
  /** Milliseconds until the next attempt of tasks that are tried again. */
  readonly #waits = new Map<number, number>();

  constructor(
    parts: Pick<ShellParts, "state" | "table" | "settings" | "host" | "lostTasks">,
    reporter: Reporter,
    loop: CoreLoop,
  ) {
    this.#parts = parts;
    this.#state = parts.state;
    this.#table = parts.table;
    this.#settings = parts.settings;
    this.#reporter = reporter;
    this.#loop = loop;
  }

  /**
   * How long to wait for the next attempt, in milliseconds; the error of the task where none follows.
   * @param leftMs what is left of the time for all attempts.
   */
  next(task: number, failure: FailedVerdict, leftMs: number): RetryDecision {
    const policy = this.#policy(task, failure);
    const { error } = failure;
    const attempts = this.#state.attempts[task]!;
    if (attempts >= Math.min(policy.max_attempts, this.#settings.maxAttempts) || leftMs <= 1) return { error };
    const ownMs = retryDelay(policy, attempts, this.#settings.random);
    const delayMs = Math.max(ownMs, failure.retryAfterMs ?? 0);
    if (delayMs < leftMs) return { delayMs };
    const left = `It is not tried again: the wait for that, ${Math.ceil(delayMs)} ms, is longer than what is left of \`totalTimeoutMs\` (${Math.floor(leftMs)} ms).`;
    return { error: { ...error, message: `${error.message}${/[.!?)]$/.test(error.message) ? "" : "."} ${left}` } };
  }

  retry(task: number, { error }: FailedVerdict, delayMs: number): void {
    const { host, lostTasks } = this.#parts;
    tryAgainWithin(lostTasks, [...host.position.path, this.#table.tasks[task]!.task_id]);
    this.#waits.set(task, delayMs);
    this.#table.errors[task] = error;
    this.#loop.feed({ type: "retrying", task });
  }

  /** Feeds `due` when the next attempt may begin. */
  delay(task: number): void {
    const delayMs = this.#waits.get(task)!;
    this.#waits.delete(task);
    this.#reporter.retrying(task, delayMs);
    const due = () => {
      this.#delays.delete(task);
      this.#table.waits.end(task);
      this.#loop.feed({ type: "due", task });
    };
    this.#table.waits.begin(task, "retry");
    this.#delays.set(task, setTimeout(due, timerMs(delayMs)));
  }

  cancel(): void {
    for (const timer of this.#delays.values()) clearTimeout(timer);
    this.#delays.clear();
  }

  #policy(task: number, { errorClass }: FailedVerdict) {
    const prepared = this.#table.prepared[task]!;
    const { retry, retryOn } = this.#settings;
    return retryPolicy(prepared.task, prepared.resource, retry, retryOn, errorClass);
  }
}
