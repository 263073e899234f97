/** At most `limit` dispatches begin in any `intervalMs`: what a service or a queue lets through. */
export interface DispatchRate {
  /** An integer of at least 1. */
  readonly limit: number;
  /** Above 0. */
  readonly intervalMs: number;
}

/**
 * Lets dispatches begin one after the other, each no earlier than an interval after the one that is `limit` before it. So in any interval at most `limit`
 * begin, also where they do not begin in the order in which they were let in.
 */
export class RateGate {
  readonly #rate: DispatchRate | undefined;
  readonly #begunMs: number[] = [];

  /** @param rate undefined for no limit */
  constructor(rate: DispatchRate | undefined) {
    this.#rate = rate;
  }

  /** When the next dispatch may begin, at the earliest. */
  get opensMs(): number {
    if (this.#rate === undefined) return 0;
    const before = this.#begunMs[this.#begunMs.length - this.#rate.limit];
    return before === undefined ? 0 : before + this.#rate.intervalMs;
  }

  begin(atMs: number): void {
    if (this.#rate !== undefined) this.#begunMs.push(atMs);
  }
}
