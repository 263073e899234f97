const dayMs = 24 * 3_600_000;

/** What the clocks of a time zone show, as milliseconds since the epoch of a clock that shows the same in UTC. */
export class WallClock {
  readonly #format: Intl.DateTimeFormat;

  constructor(zone: string) {
    const digits = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" } as const;
    this.#format = new Intl.DateTimeFormat("en-US", { timeZone: zone, era: "short", hourCycle: "h23", ...digits });
  }

  shownAt(ms: number): number {
    return ms + this.#offset(ms);
  }

  /**
   * When the clocks show this. Where they show it twice, it is the first of the two times; where they never do, the time at which the gap ends.
   */
  instantOf(shown: number): number {
    const [before, after] = [this.#offset(shown - dayMs), this.#offset(shown + dayMs)];
    const times = [shown - Math.max(before, after), shown - Math.min(before, after)] as const;
    const found = times.find((ms) => this.shownAt(ms) === shown);
    if (found !== undefined) return found;
    let [early, late] = times;
    while (late - early > 1) {
      const middle = Math.floor((early + late) / 2);
      if (this.#offset(middle) === after) late = middle;
      else early = middle;
    }
    return late;
  }

  /** What the clocks show beyond UTC, in whole minutes: no zone has had seconds since 1972. */
  #offset(ms: number): number {
    const minute = Math.floor(ms / 60_000) * 60_000;
    const parts = new Map(this.#format.formatToParts(minute).map(({ type, value }) => [type, Number(value)]));
    const read = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? 0;
    return Date.UTC(read("year"), read("month") - 1, read("day"), read("hour"), read("minute")) - minute;
  }
}
