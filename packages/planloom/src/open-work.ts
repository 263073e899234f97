import { PlanloomError, PlanloomErrorCode } from "./errors.ts";

/** What goes on until it is closed: that aborts all of it, and waits for it. */
export class OpenWork {
  readonly #closing = new AbortController();
  readonly #active = new Set<Promise<unknown>>();

  /** @throws PlanloomError CLOSED after `close`; whatever `work` rejects with */
  async run<Value>(signal: AbortSignal | undefined, work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    if (signal !== undefined && !(signal instanceof AbortSignal)) {
      const got = signal === null ? "null" : typeof signal;
      throw new PlanloomError(PlanloomErrorCode.OPTION, `Expected \`signal\` to be an AbortSignal, got ${got}.`, {
        details: { option: "signal" },
      });
    }
    const closing = this.#closing.signal;
    if (closing.aborted) {
      throw new PlanloomError(PlanloomErrorCode.CLOSED, "This Planloom was closed. Make a new one.");
    }
    const working = work(signal === undefined ? closing : AbortSignal.any([signal, closing]));
    this.#active.add(working);
    try {
      return await working;
    } finally {
      this.#active.delete(working);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort(new PlanloomError(PlanloomErrorCode.CLOSED, "Planloom was closed while this was running."));
    await Promise.allSettled(this.#active);
  }
}
