import { asyncDelayMs, type Durability } from "./durability.ts";

/**
 * Holds writes of one run back that need no commit at once. `flush` does them in order, all in one; what fails is told to
 * the run's next call, for nobody waits for the write itself any more.
 */
export class DelayedWrites {
  readonly #delayMs: number;
  readonly #commit: (writes: readonly (() => void)[]) => void;
  #writes: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #error: { readonly thrown: unknown } | undefined;

  /** @param commit does the writes in one transaction, or throws and has done none. */
  constructor(durability: Durability, commit: (writes: readonly (() => void)[]) => void) {
    this.#delayMs = durability === "async" ? asyncDelayMs : Number.POSITIVE_INFINITY;
    this.#commit = commit;
  }

  /** @throws what an earlier write threw. */
  add(write: () => void): void {
    this.#rethrow();
    this.#writes.push(write);
    if (this.#timer !== undefined || this.#delayMs === Number.POSITIVE_INFINITY) return;
    this.#timer = setTimeout(() => this.flushQuietly(), this.#delayMs);
    // The run itself keeps the process alive, and its end flushes.
    this.#timer.unref();
  }

  /** @throws what a write threw. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#rethrow();
    if (this.#writes.length === 0) return;
    const writes = this.#writes;
    this.#writes = [];
    this.#commit(writes);
  }

  /** Does the writes inside a transaction of the caller's; the last call. @throws what a write threw. */
  writeNow(): void {
    clearTimeout(this.#timer);
    this.#rethrow();
    for (const write of this.#writes.splice(0)) write();
  }

  /** As `flush`; what a write threw is kept for the run's next call. */
  flushQuietly(): void {
    try {
      this.flush();
    } catch (thrown) {
      this.#error = { thrown };
    }
  }

  #rethrow(): void {
    const error = this.#error;
    this.#error = undefined;
    if (error !== undefined) throw error.thrown;
  }
}
