/** At most `limit` holders at once; the others wait in order. */
export class Semaphore {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#free = limit;
  }

  /** Resolves with the function that gives the place back. Rejects with the signal's reason, then holding nothing. */
  async acquire(signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted();
    if (this.#free > 0) this.#free--;
    else await this.#turn(signal);
    return () => this.#release();
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        this.#waiting.delete(go);
        reject(signal.reason);
      };
      const go = (): void => {
        signal.removeEventListener("abort", abort);
        resolve();
      };
      this.#waiting.add(go);
      signal.addEventListener("abort", abort, { once: true });
    });
  }

  #release(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next);
      next();
      return;
    }
    this.#free++;
  }
}
