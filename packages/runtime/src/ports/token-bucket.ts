import { timerMs } from "@planloom/plan";
import { WaitQueue } from "./wait-queue.ts";

/** At most `limit` calls begin in any `intervalMs`. */
export interface RateLimit {
  /** An integer of at least 1. */
  readonly limit: number;
  /** In milliseconds, above 0. */
  readonly intervalMs: number;
}

/** Lets so many calls begin in a time. */
export interface Rate {
  /** Milliseconds until a call may begin; 0 where one may. */
  untilNextMs(): number;
  /** A call begins. @returns what to give back where it is not made after all */
  take(): number;
  /** A call that took a permission is not made: another one may be made, as far as is known. */
  giveBack(taken: number): void;
}

/**
 * A bucket of `limit` tokens; a call takes one as it begins, and each comes back `intervalMs` after it was taken. So no
 * interval, wherever it begins, sees more than `limit` calls, and the full rate can be used.
 */
export class TokenBucket implements Rate {
  readonly #intervalMs: number;
  readonly #now: () => number;
  /** When each token was taken last, the oldest at `#next`. */
  readonly #taken: Float64Array;
  readonly #waiting = new WaitQueue();
  #next = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ limit, intervalMs }: RateLimit, now: () => number = () => performance.now()) {
    this.#intervalMs = intervalMs;
    this.#now = now;
    this.#taken = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY);
  }

  /** Milliseconds until a token is there; 0 when one is. */
  untilNextMs(): number {
    return Math.max(0, this.#taken[this.#next]! + this.#intervalMs - this.#now());
  }

  take(): number {
    const now = this.#now();
    this.#taken[this.#next] = now;
    this.#next = (this.#next + 1) % this.#taken.length;
    return now;
  }

  /** Only the token that was taken last comes back: one that was taken before others would leave them in the wrong order. */
  giveBack(taken: number): void {
    const last = (this.#next + this.#taken.length - 1) % this.#taken.length;
    if (this.#taken[last] !== taken) return;
    this.#taken[last] = Number.NEGATIVE_INFINITY;
    this.#next = last;
  }

  /** Puts a caller in the queue; it is woken when there is a token. */
  wait(wake: () => boolean): void {
    this.#waiting.add(wake);
    this.#schedule();
  }

  /** Forgets who waits. */
  close(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting.clear();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#waiting.size === 0) return;
    // Timers may fire up to a millisecond early.
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        if (this.untilNextMs() === 0) this.#waiting.wake(this.#free());
        this.#schedule();
      },
      timerMs(Math.ceil(this.untilNextMs()) + 1),
    );
  }

  #free(): number {
    const since = this.#now() - this.#intervalMs;
    let free = 0;
    while (free < this.#taken.length && this.#taken[(this.#next + free) % this.#taken.length]! <= since) free++;
    return free;
  }
}
