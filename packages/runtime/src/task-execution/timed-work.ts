import { timerMs } from "@planloom/plan";
import { longestTimerMs } from "@planloom/plan/internals";
import { legible } from "../task-error.ts";

/**
 * How the work ended. `abandoned`: the work ignored its signal and may still be running; `thrown`: what it rejected with when it
 * obeyed.
 */
export type WorkOutcome =
  | { readonly type: "value"; readonly value: unknown }
  | { readonly type: "thrown"; readonly thrown: unknown }
  | {
      readonly type: "timeout";
      readonly limit: "attempt" | "idle" | "total";
      readonly abandoned: boolean;
      readonly thrown?: unknown;
    }
  | { readonly type: "stopped"; readonly abandoned: boolean; readonly thrown?: unknown };

export interface WorkLimits {
  /** Time limit of the work, in milliseconds; `Infinity` for none. */
  readonly timeoutMs: number;
  /** How long the work may take to obey its signal, in milliseconds. */
  readonly graceMs: number;
  /** Longest time without progress, in milliseconds. @default Infinity */
  readonly idleMs?: number;
  /** What is left of the time limit of all attempts together, in milliseconds. @default Infinity */
  readonly totalMs?: number;
}

/**
 * One piece of asynchronous work under a time limit: a call of an executor (an attempt), Stage 2, a condition, a read of the journal. `onEnd` is called exactly once; what the work does later is ignored. On timeout
 * and on `stop` the signal is aborted and the work has `graceMs` to settle. A value that the work gives in spite of `stop` counts;
 * a value after a timeout does not.
 */
export class TimedWork {
  readonly #limits: WorkLimits;
  readonly #onEnd: (outcome: WorkOutcome) => void;
  readonly #controller = new AbortController();
  /** Called when abandoned work has settled after all. */
  onSettled: (() => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #idleTimer: NodeJS.Timeout | undefined;
  #lastSignMs = 0;
  #followedMs = 0;
  #lifted = false;
  #limit: "attempt" | "idle" | "total" = "attempt";
  /** What was begun within the work and has not settled; absent where nothing was. */
  #inner: Set<Promise<unknown>> | undefined;
  #state: "running" | "timed-out" | "stopped" | "ended" = "running";

  constructor(limits: WorkLimits, onEnd: (outcome: WorkOutcome) => void) {
    this.#limits = limits;
    this.#onEnd = onEnd;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  get ended(): boolean {
    return this.#state === "ended";
  }

  /** Watches `work`, which has begun. Called once; the attempt may have been stopped before. */
  follow(work: PromiseLike<unknown>): void {
    if (this.#state === "running") this.#beginWatching();
    work.then(
      (value) => this.#settle(value, undefined, true),
      (thrown: unknown) => this.#settle(undefined, legible(thrown), false),
    );
  }

  /** Begun within the work, which ends after it, whether or not the work itself waits for it. */
  hold(inner: Promise<unknown>): void {
    this.#inner ??= new Set();
    const held = this.#inner;
    held.add(inner);
    const settled = () => void held.delete(inner);
    inner.then(settled, settled);
  }

  /** Lifts the time limit of the attempt, since the tasks that run within it have limits of their own. Idle time and total time stay limited. */
  liftTimeout(): void {
    if (this.#lifted) return;
    this.#lifted = true;
    if (this.#state !== "running" || this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#watch();
  }

  #beginWatching(): void {
    const { idleMs } = this.#limits;
    this.#followedMs = performance.now();
    this.#watch();
    if (idleMs === undefined || idleMs > longestTimerMs) return;
    this.#lastSignMs = performance.now();
    this.#watchIdle(idleMs, idleMs);
  }

  #watch(): void {
    const { timeoutMs, totalMs = Number.POSITIVE_INFINITY } = this.#limits;
    const ownMs = this.#lifted ? Number.POSITIVE_INFINITY : timeoutMs;
    if (totalMs < ownMs) this.#limit = "total";
    const limitMs = Math.min(ownMs, totalMs);
    if (limitMs > longestTimerMs) return;
    const passedMs = this.#lifted ? performance.now() - this.#followedMs : 0;
    this.#timer = setTimeout(TimedWork.#onTimeout, Math.max(0, limitMs - passedMs), this);
  }

  /** Reports that the work continues: the idle time begins again. */
  heartbeat(): void {
    if (this.#idleTimer !== undefined) this.#lastSignMs = performance.now();
  }

  /** Aborts the signal of the work. */
  stop(reason: unknown): void {
    if (this.#state !== "running") return;
    this.#interrupt("stopped", reason);
  }

  static #onTimeout(attempt: TimedWork): void {
    attempt.#interrupt("timed-out", new DOMException("The attempt took too long.", "TimeoutError"));
  }

  /** Heartbeats may be many, so they only note the time, and the timer asks for it. */
  #watchIdle(idleMs: number, afterMs: number): void {
    this.#idleTimer = setTimeout(() => {
      const leftMs = this.#lastSignMs + idleMs - performance.now();
      if (leftMs > 0) {
        this.#watchIdle(idleMs, leftMs);
        return;
      }
      this.#limit = "idle";
      this.#interrupt("timed-out", new DOMException("The attempt gave no sign of life.", "TimeoutError"));
    }, afterMs);
  }

  #interrupt(state: "timed-out" | "stopped", reason: unknown): void {
    this.#state = state;
    clearTimeout(this.#timer);
    clearTimeout(this.#idleTimer);
    const graceMs = timerMs(this.#limits.graceMs);
    this.#timer = setTimeout(() => this.#end(this.#interrupted(true, undefined)), graceMs);
    this.#controller.abort(reason);
  }

  #settle(value: unknown, thrown: unknown, fulfilled: boolean): void {
    if (this.#inner !== undefined && this.#inner.size > 0) {
      void Promise.allSettled(this.#inner).then(() => this.#settle(value, thrown, fulfilled));
      return;
    }
    switch (this.#state) {
      case "running":
        this.#end(fulfilled ? { type: "value", value } : { type: "thrown", thrown });
        break;
      case "stopped":
        this.#end(fulfilled ? { type: "value", value } : this.#interrupted(false, thrown));
        break;
      case "timed-out":
        this.#end(this.#interrupted(false, thrown));
        break;
      case "ended":
        this.onSettled?.();
        break;
      default:
        this.#state satisfies never;
    }
  }

  #interrupted(abandoned: boolean, thrown: unknown): WorkOutcome {
    return this.#state === "timed-out"
      ? { type: "timeout", limit: this.#limit, abandoned, thrown }
      : { type: "stopped", abandoned, thrown };
  }

  #end(outcome: WorkOutcome): void {
    this.#state = "ended";
    clearTimeout(this.#timer);
    if (this.#idleTimer !== undefined) clearTimeout(this.#idleTimer);
    this.#onEnd(outcome);
  }
}
