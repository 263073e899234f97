/** A clock whose time changes only when a test changes it, for every `now` option: of `Planloom`, `EmbeddedController`, `Planner`. */
export interface FakeClock {
  readonly now: () => Date;
  /** Milliseconds; negative ones set it back. */
  advance(ms: number): void;
  set(date: Date | string): void;
}

/** @param start ISO 8601 or a date. @default 2025-01-01T00:00:00Z @throws RangeError for an invalid date */
export function fakeClock(start: Date | string = "2025-01-01T00:00:00Z"): FakeClock {
  let at = read(start);
  return {
    now: () => new Date(at),
    advance: (ms) => {
      at = read(new Date(at + ms));
    },
    set: (date) => {
      at = read(date);
    },
  };
}

function read(date: Date | string): number {
  const at = new Date(date).getTime();
  if (Number.isNaN(at)) throw new RangeError(`Expected a date, got ${String(date)}.`);
  return at;
}
