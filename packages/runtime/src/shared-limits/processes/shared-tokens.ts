import type { Rate, RateLimit } from "../../ports/token-bucket.ts";

/**
 * Permissions of a rate that this process has of those that all processes share. One that was used comes back `intervalMs` later, here or,
 * with its time, where all find it: so no interval sees more than `limit` calls of all processes.
 */
export class SharedTokens implements Rate {
  readonly pool: string;
  readonly rate: RateLimit;
  readonly #now: () => number;
  /** When each may be used again, soonest first. */
  times: number[] = [];
  /** Given back in a transaction that is not committed yet. */
  returning: number[] = [];
  /** Others wait for it. */
  contested = false;

  constructor(pool: string, rate: RateLimit, now: () => number) {
    this.pool = pool;
    this.rate = rate;
    this.#now = now;
  }

  untilNextMs(): number {
    const soonest = this.times[0];
    return soonest === undefined ? Number.POSITIVE_INFINITY : Math.max(0, soonest - this.#now());
  }

  take(): number {
    this.times.shift();
    const again = this.#now() + this.rate.intervalMs;
    this.times.push(again);
    return again;
  }

  /** One that was given to the others meanwhile comes back when its time is there. */
  giveBack(taken: number): void {
    const at = this.times.lastIndexOf(taken);
    if (at === -1) return;
    this.times.splice(at, 1);
    this.grant(1);
  }

  /** `count` more, which may be used now. */
  grant(count: number): void {
    this.times.unshift(...Array<number>(count).fill(Number.NEGATIVE_INFINITY));
  }
}
