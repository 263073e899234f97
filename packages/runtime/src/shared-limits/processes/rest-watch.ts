/** Units that were not used for so long, in milliseconds, are given back. */
export const idleMs = 500;

/** Whether calls have begun lately. What begins is only counted, since that is done for every call; the clock is read when somebody looks. */
export class RestWatch {
  #takes = 0;
  #seenTakes = 0;
  #restedSince = 0;

  /** A call began. */
  took(): void {
    this.#takes++;
  }

  /** Whether no call has begun since the last look. */
  get isUnused(): boolean {
    return this.#takes === this.#seenTakes;
  }

  /** Whether none has for so long that units may be given back. */
  get isRested(): boolean {
    return performance.now() - this.#restedSince >= idleMs && this.isUnused;
  }

  /** Looks whether any began since the last time. */
  look(): void {
    if (this.isUnused) return;
    this.#seenTakes = this.#takes;
    this.#restedSince = performance.now();
  }
}
