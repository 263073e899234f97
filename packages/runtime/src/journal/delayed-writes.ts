import { asyncDelayMs, type Durability } from "./durability.ts";

/**
 * Holds writes of one run back that need no commit at once. `flush` does them in order, all in one; a failure goes to
 * the watcher at once, or else rejects the run's next call, since nothing waits for the write itself any more.
 */
export class DelayedWrites {
  readonly #delayMs: number;
  readonly #commit: (writes: readonly (() => void)[]) => void;
  readonly #isBusy: (thrown: unknown) => boolean;
  readonly #patienceMs: number;
  #writes: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #error: { readonly thrown: unknown } | undefined;
  #busySince: number | undefined;
  /** Called for a write that failed after it had resolved. */
  onFailure: ((thrown: unknown) => void) | undefined;

  /**
   * @param commit does the writes in one transaction, or throws and has done none.
   * @param isBusy says whether a failure passes; @param patienceMs for how long that is believed.
   */
  constructor(
    durability: Durability,
    commit: (writes: readonly (() => void)[]) => void,
    isBusy: (thrown: unknown) => boolean,
    patienceMs: number,
  ) {
    this.#delayMs = durability === "async" ? asyncDelayMs : Number.POSITIVE_INFINITY;
    this.#commit = commit;
    this.#isBusy = isBusy;
    this.#patienceMs = patienceMs;
  }

  /** @throws what an earlier write threw, if no watcher got it. */
  add(write: () => void): void {
    this.#rethrow();
    this.#writes.push(write);
    if (this.#delayMs !== Number.POSITIVE_INFINITY) this.#schedule(this.#delayMs);
  }

  /** @throws what a write threw; what another process's lock kept from being done is done later, unless it lasts. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#rethrow();
    if (this.#writes.length === 0) return;
    const writes = this.#writes;
    this.#writes = [];
    try {
      this.#commit(writes);
      this.#busySince = undefined;
    } catch (thrown) {
      this.#busySince ??= performance.now();
      const lasts = performance.now() - this.#busySince > this.#patienceMs;
      if (lasts || !this.#isBusy(thrown)) {
        this.#busySince = undefined;
        throw thrown;
      }
      this.#writes = [...writes, ...this.#writes];
      this.#schedule(asyncDelayMs);
    }
  }

  /** True when a lock keeps writes from being done. */
  get isHeldUp(): boolean {
    return this.#busySince !== undefined;
  }

  /** Does the writes inside a transaction of the caller's, who tries again when it fails. @throws what a write threw. */
  writeNow(): void {
    clearTimeout(this.#timer);
    this.#rethrow();
    for (const write of this.#writes) write();
  }

  /** As `flush`; what a write threw goes to the watcher, or else rejects the run's next call. */
  flushQuietly(): void {
    try {
      this.flush();
    } catch (thrown) {
      if (this.onFailure === undefined) this.#error = { thrown };
      else this.onFailure(thrown);
    }
  }

  #schedule(delayMs: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => this.flushQuietly(), delayMs);
    // The run itself keeps the process alive, and its end flushes.
    this.#timer.unref();
  }

  #rethrow(): void {
    const error = this.#error;
    this.#error = undefined;
    if (error !== undefined) throw error.thrown;
  }
}
