import { abortable } from "@planloom/plan/internals";

/** Lets callers in one after the other. */
export class Turns {
  #last: Promise<void> = Promise.resolve();

  /** Waits until all before have ended. Disposing of it lets the next one in. @throws the signal's reason */
  async take(signal: AbortSignal): Promise<Disposable> {
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = before.then(() => promise);
    try {
      await abortable(before, signal);
      signal.throwIfAborted();
    } catch (error) {
      resolve();
      throw error;
    }
    return { [Symbol.dispose]: resolve };
  }
}
