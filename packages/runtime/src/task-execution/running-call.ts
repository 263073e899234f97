import type { CallPermit } from "../admission/call-permit.ts";
import type { TaskUsage } from "../journal/journal.ts";

const unused: TaskUsage = { calls: 0, tokens: 0, cost: 0, seconds: 0 };

/** What one attempt uses, and what was reserved for it. */
export class RunningCall {
  /** It runs a nested plan, and its slots are lent to that plan's tasks. */
  lent = false;
  /** Milliseconds in which tasks of its nested plan held a slot. */
  nestedMs = 0;
  tokens = 0;
  cost = 0;
  /** Version of the answers that was known inside it when the first nested plan ended. */
  answersKnown = Number.POSITIVE_INFINITY;
  /** It was stopped because nothing was left to reserve. */
  exhausted = false;
  #permit: CallPermit | undefined;

  constructor(permit: CallPermit | undefined) {
    this.#permit = permit;
  }

  /** Watches its time; `stop` is called when no more is left. */
  meter(stop: () => void): void {
    this.#permit?.meter(() => {
      this.exhausted = true;
      stop();
    });
  }

  /** It has used more. False when that is more than there is, and it has to stop. */
  add(tokens: number, cost: number): boolean {
    this.tokens += tokens;
    this.cost += cost;
    if (this.#permit === undefined || this.#permit.note(this.used(0))) return true;
    this.exhausted = true;
    return false;
  }

  /** From here on the tasks of a nested plan pay for themselves. It may be called again. */
  lend(): void {
    if (!this.lent) this.#permit?.lend(this.used(0));
    this.lent = true;
  }

  /** Gives back what is not used; several times do no harm. */
  settle(durationMs: number): void {
    this.#permit?.settle(this.used(durationMs));
    this.#permit = undefined;
  }

  /** Executes `work` as part of the call. */
  within<Value>(work: () => Value): Value {
    return this.#permit?.within === undefined ? work() : this.#permit.within(work);
  }

  /** Call it before `settle` if the call ignored its signal and still runs. @returns what to call when it has ended, if anything */
  abandon(): (() => void) | undefined {
    return this.#permit?.abandon?.();
  }

  /** It was not made after all. */
  release(): void {
    this.#permit?.settle(unused);
    this.#permit = undefined;
  }

  /** It will be made again, and be counted then; what it used so far stays charged. */
  withdraw(): TaskUsage {
    const used = { ...this.used(0), calls: 0 };
    this.#permit?.withdraw(used);
    this.#permit = undefined;
    return used;
  }

  /** @param durationMs how long it took; the tasks of a nested plan count their own time. */
  used(durationMs: number): TaskUsage {
    return { calls: 1, tokens: this.tokens, cost: this.cost, seconds: this.lent ? 0 : durationMs / 1_000 };
  }
}

export function addUsage(a: TaskUsage | undefined, b: TaskUsage): TaskUsage {
  if (a === undefined) return b;
  return {
    calls: a.calls + b.calls,
    tokens: a.tokens + b.tokens,
    cost: a.cost + b.cost,
    seconds: a.seconds + b.seconds,
  };
}
