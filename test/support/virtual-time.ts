interface Happening {
  readonly atMs: number;
  readonly happen: () => void;
}

/** A clock that moves to the next event once nothing more happens at the present moment. */
export class VirtualTime {
  ms = 0;
  readonly now = (): number => this.ms;
  readonly #events: Happening[] = [];
  #stirred = 0;

  /** Resolves so many milliseconds later. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.at(this.ms + ms, resolve));
  }

  at(atMs: number, happen: () => void): void {
    this.#stirred++;
    let place = this.#events.length;
    while (place > 0 && this.#events[place - 1]!.atMs > atMs) place--;
    this.#events.splice(place, 0, { atMs, happen });
  }

  /** Until it is disposed of, `setTimeout` and `clearTimeout` go by this clock: a slot is kept for a moment of this time, and not of the machine's. */
  takeTimers(): Disposable {
    const { setTimeout, clearTimeout } = globalThis;
    globalThis.setTimeout = ((happen: () => void, ms?: number) => this.#timer(happen, ms)) as typeof setTimeout;
    globalThis.clearTimeout = (timer) => (timer as NodeJS.Timeout | undefined)?.close();
    return {
      [Symbol.dispose]() {
        Object.assign(globalThis, { setTimeout, clearTimeout });
      },
    };
  }

  #timer(happen: () => void, ms = 0): NodeJS.Timeout {
    const due = () => {
      this.stir();
      happen();
    };
    const event = { atMs: this.ms + Math.max(1, ms), happen: due };
    const place = this.#events.findLastIndex(({ atMs }) => atMs <= event.atMs) + 1;
    this.#events.splice(place, 0, event);
    const timer = { close: () => this.#drop(event), unref: () => timer, ref: () => timer, hasRef: () => true };
    return timer as unknown as NodeJS.Timeout;
  }

  #drop(event: Happening): void {
    const place = this.#events.indexOf(event);
    if (place >= 0) this.#events.splice(place, 1);
  }

  /** Something happened, which may lead to more at this moment. */
  stir(): void {
    this.#stirred++;
  }

  /** Lets all that is due happen, moment by moment, until `isOver`. */
  async play(isOver: () => boolean): Promise<void> {
    for (;;) {
      await this.#settled();
      if (isOver()) return;
      const next = this.#events[0];
      if (next === undefined) throw new Error(`Nothing is due after ${this.ms} ms, and it is not over.`);
      this.ms = next.atMs;
      while (this.#events[0]?.atMs === this.ms) this.#events.shift()!.happen();
    }
  }

  /** Until nothing has stirred for some turns of the event loop. */
  async #settled(): Promise<void> {
    let quiet = 0;
    while (quiet < 6) {
      const before = this.#stirred;
      await new Promise((resolve) => setImmediate(resolve));
      quiet = this.#stirred === before ? quiet + 1 : 0;
    }
  }
}
