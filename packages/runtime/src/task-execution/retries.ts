import { timerMs } from "@planloom/plan";
import type { RunState } from "../core/run-state.ts";
import { retryDelay, retryPolicy } from "../ports/retry.ts";
import type { Settings } from "../run-settings.ts";
import type { CoreLoop } from "./core-loop.ts";
import type { Reporter } from "./reporter.ts";
import type { TaskTable } from "./task-table.ts";
import type { Verdict } from "./verdict.ts";

export type FailedVerdict = Extract<Verdict, { type: "failed" }>;

/** Decides whether another attempt follows a failed one, and waits until its time. */
export class Retries {
  readonly #state: RunState;
  readonly #table: TaskTable;
  readonly #settings: Settings;
  readonly #reporter: Reporter;
  readonly #loop: CoreLoop;
  readonly #delays = new Map<number, NodeJS.Timeout>();
  /** The last failure of tasks that are tried again. */
  readonly #failures = new Map<number, FailedVerdict>();

  constructor(state: RunState, table: TaskTable, settings: Settings, reporter: Reporter, loop: CoreLoop) {
    this.#state = state;
    this.#table = table;
    this.#settings = settings;
    this.#reporter = reporter;
    this.#loop = loop;
  }

  /** @param leftMs what is left of the time for all attempts. */
  mayRetry(task: number, failure: FailedVerdict, leftMs: number): boolean {
    const { max_attempts } = this.#policy(task, failure);
    return this.#state.attempts[task]! < Math.min(max_attempts, this.#settings.maxAttempts) && leftMs > 1;
  }

  retry(task: number, failure: FailedVerdict): void {
    this.#failures.set(task, failure);
    this.#table.errors[task] = failure.error;
    this.#loop.feed({ type: "retrying", task });
  }

  /** Feeds `due` when the next attempt may begin. */
  delay(task: number): void {
    const failure = this.#failures.get(task)!;
    const ownMs = retryDelay(this.#policy(task, failure), this.#state.attempts[task]!, this.#settings.random);
    const delayMs = Math.max(ownMs, failure.retryAfterMs ?? 0);
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
