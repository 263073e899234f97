import { nothing } from "../admission/budget.ts";
import { type Account, type Reservation, refund, settle } from "../admission/budget-ledger.ts";
import { meterSeconds } from "../admission/seconds-meter.ts";
import type { TaskUsage } from "../journal/journal.ts";

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
  #reservation: Reservation | undefined;
  /** Where it was booked when it lent its slots. */
  #booked: readonly Account[] | undefined;
  #stopMeter: (() => void) | undefined;

  constructor(reservation: Reservation | undefined) {
    this.#reservation = reservation;
  }

  /** Watches its time; `stop` is called when no more is left. */
  meter(seconds: number | undefined, stop: () => void): void {
    if (seconds === undefined || this.#reservation === undefined) return;
    this.#stopMeter = meterSeconds(this.#reservation, seconds, () => {
      this.exhausted = true;
      stop();
    });
  }

  /** From here on the tasks of a nested plan pay for themselves. */
  lend(elapsedMs: number): void {
    this.lent = true;
    this.#booked ??= this.#reservation?.accounts;
    this.settle(elapsedMs);
  }

  /** Gives back what is not used; several times do no harm. */
  settle(durationMs: number): void {
    this.#stopMeter?.();
    if (this.#reservation === undefined) return;
    settle(this.#reservation, this.used(durationMs));
    this.#reservation = undefined;
  }

  /** It was not made after all. */
  release(): void {
    this.#stopMeter?.();
    if (this.#reservation !== undefined) settle(this.#reservation, nothing());
    this.#reservation = undefined;
  }

  /** It will be made again, and be counted then; what it used so far stays booked. */
  withdraw(): TaskUsage {
    const used = { ...this.used(0), calls: 0 };
    this.#stopMeter?.();
    if (this.#reservation !== undefined) settle(this.#reservation, used);
    else if (this.#booked !== undefined) refund(this.#booked, { ...nothing(), calls: 1 });
    this.#reservation = undefined;
    this.#booked = undefined;
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
