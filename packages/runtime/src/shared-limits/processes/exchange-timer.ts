import { timerMs } from "@planloom/plan";
/** Decides when the next exchange takes place: at the next turn of the event loop, or at the earliest of the times that were asked for. */
export class ExchangeTimer {
  readonly #onSoon: () => void;
  readonly #onLate: () => void;
  #soon: NodeJS.Immediate | undefined;
  #later: NodeJS.Timeout | undefined;
  #laterAtMs = Number.POSITIVE_INFINITY;

  /** @param onSoon for an exchange without delay @param onLate for one whose time has come */
  constructor(onSoon: () => void, onLate: () => void) {
    this.#onSoon = onSoon;
    this.#onLate = onLate;
  }

  /** Asks for an exchange in `ms` milliseconds, unless an earlier one is planned. */
  scheduleIn(ms: number): void {
    if (ms <= 0) {
      this.#soon ??= setImmediate(() => {
        this.#soon = undefined;
        this.#onSoon();
      });
      return;
    }
    const atMs = performance.now() + ms;
    if (atMs >= this.#laterAtMs) return;
    clearTimeout(this.#later);
    this.#laterAtMs = atMs;
    // Timers may fire up to a millisecond early.
    this.#later = setTimeout(
      () => {
        this.#laterAtMs = Number.POSITIVE_INFINITY;
        this.#onLate();
      },
      timerMs(Math.ceil(ms) + 1),
    );
  }

  /** An exchange begins: those that were planned for later are not needed. */
  cancelLater(): void {
    clearTimeout(this.#later);
    this.#laterAtMs = Number.POSITIVE_INFINITY;
  }

  stop(): void {
    this.cancelLater();
    clearImmediate(this.#soon);
  }
}
