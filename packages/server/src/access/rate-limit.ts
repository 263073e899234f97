import { ServerError, ServerErrorCode } from "../errors.ts";

export interface RateLimitOptions {
  /** Requests in each interval, an integer of at least 1. */
  readonly limit: number;
  /** In milliseconds, above 0. */
  readonly intervalMs: number;
}

/** How many callers are counted at once; of more, those that were quiet for longest are forgotten. */
const maxCallers = 10_000;

/** Requests in a time, for each caller by itself: a bucket that fills evenly and holds what one interval allows. */
export class RateLimiter {
  readonly #perMs: number;
  readonly #limit: number;
  readonly #now: () => number;
  readonly #buckets = new Map<string, { left: number; at: number }>();

  constructor({ limit, intervalMs }: RateLimitOptions, now: () => number) {
    this.#limit = limit;
    this.#perMs = limit / intervalMs;
    this.#now = now;
  }

  /** @throws ServerError RATE_LIMITED */
  take(caller: string): void {
    const now = this.#now();
    const known = this.#buckets.get(caller) ?? { left: this.#limit, at: now };
    const left = Math.min(this.#limit, known.left + (now - known.at) * this.#perMs);
    const isAllowed = left >= 1;
    // Put last, so that the first is the one that was quiet for longest.
    this.#buckets.delete(caller);
    this.#buckets.set(caller, { left: isAllowed ? left - 1 : left, at: now });
    for (const quiet of this.#buckets.keys()) {
      if (this.#buckets.size <= maxCallers) break;
      this.#buckets.delete(quiet);
    }
    if (isAllowed) return;
    const retry_after_ms = Math.ceil((1 - left) / this.#perMs);
    const message = `Too many requests: at most ${this.#limit} are taken in a time. Try again in ${retry_after_ms} ms.`;
    throw new ServerError(ServerErrorCode.RATE_LIMITED, message, { details: { retry_after_ms } });
  }
}
