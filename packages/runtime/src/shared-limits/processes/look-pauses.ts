/** The pauses between looks at the journal while a call waits, beside notifications: from the first to the longest, in milliseconds. */
export const firstPauseMs = 25;
export const longestPauseMs = 250;

/** Longer and longer pauses. */
export class LookPauses {
  #nextMs = firstPauseMs;

  /** The next pause is the first one again. */
  restart(): void {
    this.#nextMs = firstPauseMs;
  }

  take(): number {
    const ms = this.#nextMs;
    this.#nextMs = Math.min(2 * ms, longestPauseMs);
    return ms;
  }
}
