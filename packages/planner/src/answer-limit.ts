import { longestTimerMs } from "@planloom/plan/internals";

/** The signal of a call that may take `timeoutMs` milliseconds: aborted by the caller's, or when the time is over. */
export class AnswerLimit {
  readonly signal: AbortSignal;
  readonly #timer: NodeJS.Timeout | undefined;
  #passed = false;

  constructor(given: AbortSignal | undefined, timeoutMs: number) {
    const controller = new AbortController();
    this.signal = given === undefined ? controller.signal : AbortSignal.any([given, controller.signal]);
    if (timeoutMs > longestTimerMs) return;
    // Unlike AbortSignal.timeout it keeps the process alive, so that the caller who waits for the answer gets the time-out.
    this.#timer = setTimeout(() => {
      this.#passed = true;
      controller.abort(new DOMException(`There was no answer within ${timeoutMs} ms.`, "TimeoutError"));
    }, timeoutMs);
  }

  /** Whether it was the time that ended the call. */
  get passed(): boolean {
    return this.#passed;
  }

  /** The call is over. */
  stop(): void {
    clearTimeout(this.#timer);
  }
}
