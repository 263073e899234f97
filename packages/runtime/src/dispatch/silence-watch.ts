import { timerMs } from "@planloom/plan";
import { longestTimerMs } from "@planloom/plan/internals";
import type { DispatchContext } from "./port/dispatcher.ts";

/**
 * Notices when a dispatcher gives no sign of a subgraph any more. A sign is any report or request; while it waits for this
 * process (the right to a call, a subgraph run here) the time does not count.
 */
export class SilenceWatch {
  readonly #limitMs: number;
  readonly #onSilence: () => void;
  #timer: NodeJS.Timeout | undefined;
  /** The time from which on the silence counts, as `performance.now()`. */
  #since: number;
  /** What this process still owes the dispatcher. */
  #owed = 0;

  /** @param limitMs `Infinity`: it may be silent for ever */
  constructor(limitMs: number, onSilence: () => void) {
    this.#limitMs = limitMs;
    this.#onSilence = onSilence;
    this.#since = performance.now();
    if (limitMs <= longestTimerMs) this.#watch(limitMs);
  }

  /** The dispatch is over. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  /** The context that a dispatcher gets, wrapped so that its signs are noticed. */
  hear(context: DispatchContext): DispatchContext {
    return {
      ...context,
      onEvent: (event) => {
        // A worker that waits for another attempt has said how long it waits.
        this.#sign(event.type === "task-retry" ? event.delayMs : 0);
        context.onEvent(event);
      },
      report: (report) => this.#owe(() => context.report(report)),
      reportNested: (records) => this.#owe(() => context.reportNested(records)),
      reportCalls: (calls) => this.#owe(() => context.reportCalls(calls)),
      calls: {
        ask: (call, signal) => this.#owe(() => context.calls.ask(call, signal)),
        learn: (value) => {
          this.#sign();
          context.calls.learn(value);
        },
      },
      revealSecret: (name, resource) => this.#owe(() => context.revealSecret(name, resource)),
      runHere: () => this.#owe(() => context.runHere()),
    };
  }

  async #owe<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#owed += 1;
    try {
      return await work();
    } finally {
      this.#owed -= 1;
      this.#sign();
    }
  }

  #sign(aheadMs = 0): void {
    this.#since = Math.max(this.#since, performance.now() + aheadMs);
  }

  /** Signs may be many, so they only note the time, and the timer asks for it. */
  #watch(afterMs: number): void {
    this.#timer = setTimeout(() => {
      const leftMs = this.#owed > 0 ? this.#limitMs : this.#since + this.#limitMs - performance.now();
      if (leftMs > 0) this.#watch(timerMs(leftMs));
      else this.#onSilence();
    }, afterMs);
  }
}
