/** What one message costs in addition to its bytes: parsing it and calling a listener. */
export const messageCost = 1_024;
/** For what a server sends unasked: some 2,000 short messages a second. */
export const costPerSecond = 2 * 1024 * 1024;

/** How much work a server may cause in a second; who spends more has to wait for the next one. */
export class Allowance {
  readonly #perSecond: number;
  #began = performance.now();
  #spent = 0;

  constructor(perSecond = costPerSecond) {
    this.#perSecond = perSecond;
  }

  /** @returns how long to take nothing more, in milliseconds; 0 for not at all */
  spend(cost: number): number {
    const now = performance.now();
    if (now - this.#began >= 1_000) {
      this.#began = now;
      this.#spent = 0;
    }
    this.#spent += cost;
    return this.#spent < this.#perSecond ? 0 : this.#began + 1_000 - now;
  }
}
