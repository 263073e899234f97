/** How many checks without an answer make a process silent. One check is not enough, since this process itself may have been held up before it. */
const looks = 4;

/**
 * Watches whether a process that is to answer does. It is asked a few times within `limitMs`, and counts as silent when it has answered none of
 * those questions. Of a process that waits, however long, the event loop turns, and it answers.
 */
export class AnswerWatch {
  readonly #timer: NodeJS.Timeout;
  #unanswered = 0;

  /**
   * @param limitMs milliseconds.
   * @param ask asks for a sign of life; @returns false while none is expected
   * @param onSilent is called once at most.
   */
  constructor(limitMs: number, ask: () => boolean, onSilent: () => void) {
    const look = () => {
      if (this.#unanswered >= looks) {
        this.stop();
        onSilent();
      } else this.#unanswered = ask() ? this.#unanswered + 1 : 0;
    };
    this.#timer = setInterval(look, Math.max(1, limitMs / looks));
    this.#timer.unref();
  }

  heard(): void {
    this.#unanswered = 0;
  }

  stop(): void {
    clearInterval(this.#timer);
  }
}
