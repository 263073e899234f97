import { FaultLog, isThenable } from "@planloom/plan";
import { longestTimerMs } from "@planloom/plan/internals";

/**
 * The caller's `pace`, asked before each attempt. If it fails, the attempt starts at once. If it does not settle within the limit, the
 * attempt starts too, and it is not called again, since every attempt of the run would wait as long.
 */
export class Pace {
  readonly #pace: () => unknown;
  readonly #limitMs: number;
  readonly #faults = new FaultLog();
  #gaveUp = false;

  /** @param limitMs `paceTimeoutMs` of the run; `Infinity` for none */
  constructor(pace: () => unknown, limitMs: number) {
    this.#pace = pace;
    this.#limitMs = limitMs;
  }

  /**
   * Calls `start` once, as soon as an attempt may start.
   * @returns stops waiting, so that `start` is not called any more; undefined where the attempt may start at once and `start` is not called
   */
  wait(start: () => void): (() => void) | undefined {
    if (this.#gaveUp) return undefined;
    let given: unknown;
    try {
      given = this.#pace();
    } catch (error) {
      this.#faults.report("pace", error);
      return undefined;
    }
    if (!isThenable(given)) return undefined;
    let timer: NodeJS.Timeout | undefined;
    let waiting = true;
    const stop = () => {
      waiting = false;
      clearTimeout(timer);
    };
    const end = () => {
      if (!waiting) return;
      stop();
      start();
    };
    if (this.#limitMs <= longestTimerMs) {
      timer = setTimeout(() => {
        this.#giveUp();
        end();
      }, this.#limitMs);
    }
    // The native constructor takes only the first of several answers.
    new Promise((resolve) => resolve(given)).catch((error: unknown) => this.#faults.report("pace", error)).then(end);
    return stop;
  }

  #giveUp(): void {
    if (this.#gaveUp) return;
    this.#gaveUp = true;
    const message = `It has not settled within ${this.#limitMs} ms (paceTimeoutMs), so it is not asked again.`;
    this.#faults.report("pace", new Error(message));
  }
}
