const dayMs = 86_400_000;
const isoDay = /^(\d{4})-(\d{2})-(\d{2})$/;

/**
 * Days are stored as offsets from today (0, -1, -2, …), so "today" and "last week" have freight whenever the example
 * runs. `FREIGHT_TODAY=2025-10-12` sets the day; otherwise it is the local calendar's.
 */
export class Calendar {
  readonly #today: number;

  constructor(today: string | Date = new Date()) {
    const utc =
      typeof today === "string"
        ? dayNumber(today)
        : Date.UTC(today.getFullYear(), today.getMonth(), today.getDate()) / dayMs;
    if (utc === undefined) throw new Error(`Expected FREIGHT_TODAY to be a day like 2025-10-12, got "${today}".`);
    this.#today = utc;
  }

  /** `2025-10-12` as an offset; throws when it is no day of the calendar. */
  offset(day: string): number {
    const number = dayNumber(day);
    if (number === undefined) throw new Error(`Expected a day like 2025-10-12, got "${day}".`);
    return number - this.#today;
  }

  day(offset: number): string {
    return new Date((this.#today + offset) * dayMs).toISOString().slice(0, 10);
  }
}

function dayNumber(text: string): number | undefined {
  const match = isoDay.exec(text);
  if (!match) return undefined;
  const time = Date.UTC(Number(match[1]), Number(match[2]) - 1, Number(match[3]));
  // 2025-02-30 would roll over to March.
  return new Date(time).toISOString().startsWith(text) ? time / dayMs : undefined;
}
