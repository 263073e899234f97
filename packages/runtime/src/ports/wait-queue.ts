/** Those who wait for something to be given back, in the order of coming. */
export class WaitQueue {
  #waiting: (() => boolean)[] = [];
  #head = 0;

  get size(): number {
    return this.#waiting.length - this.#head;
  }

  /** @param wake lets it ask again; false when it does not need to any more. */
  add(wake: () => boolean): void {
    this.#waiting.push(wake);
  }

  /** Wakes up to `count`; who must wait on comes back at the end. */
  wake(count: number): void {
    for (let woken = 0; woken < count && this.size > 0; ) {
      const wake = this.#waiting[this.#head++]!;
      if (this.#head > 1_000 && this.#head * 2 > this.#waiting.length) {
        this.#waiting = this.#waiting.slice(this.#head);
        this.#head = 0;
      }
      if (wake()) woken++;
    }
  }

  clear(): void {
    this.#waiting = [];
    this.#head = 0;
  }
}

/** Resolves when woken, or when the queue is not needed any more. */
export function woken(wait: (wake: () => boolean) => void, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const onAbort = () => resolve();
    signal.addEventListener("abort", onAbort, { once: true });
    wait(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
      return !signal.aborted;
    });
  });
}
