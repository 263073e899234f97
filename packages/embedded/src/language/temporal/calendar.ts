import { callNow, isCallbackError, type OptionChecks } from "@planloom/plan";
import { EmbeddedError, EmbeddedErrorCode } from "../../errors.ts";

/** A day of the Gregorian calendar, with no time and no zone. `month` is 1 to 12. */
export interface CivilDay {
  readonly year: number;
  readonly month: number;
  readonly day: number;
}

export interface CivilTime {
  readonly hour: number;
  readonly minute: number;
  readonly second: number;
}

/** What "now" is and where. */
export interface ClockOptions {
  /** The present. @default the system's clock */
  readonly now?: Date | string | (() => Date);
  /** IANA name of the zone whose calendar counts. @default the system's */
  readonly timeZone?: string;
}

/** Both are checked where they are read. */
export const clockChecks = { now: "own", timeZone: "own" } as const satisfies OptionChecks<ClockOptions>;

/** A clock read once, so that one plan sees one present. */
export interface Clock {
  readonly instant: Date;
  readonly timeZone: string;
  readonly today: CivilDay;
  readonly time: CivilTime;
}

/** @throws EmbeddedError OPTION when `now` is not a date or `timeZone` is not a zone. */
export function readClock(options: ClockOptions = {}): Clock {
  const { now } = options;
  const instant = now === undefined ? new Date() : typeof now === "function" ? askedFor(now) : dateOf(now);
  if (!(instant instanceof Date) || Number.isNaN(instant.getTime())) {
    throw new EmbeddedError(
      EmbeddedErrorCode.OPTION,
      `Expected \`now\` to be a date, an ISO 8601 text or a function that returns a Date, got ${describe(now)}.`,
      { details: { option: "now", value: describe(now) } },
    );
  }
  const timeZone = options.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  const parts = wallClock(instant, timeZone);
  return { instant, timeZone, today: parts.day, time: parts.time };
}

function dateOf(now: unknown): Date {
  return new Date(now instanceof Date || typeof now === "string" ? now : Number.NaN);
}

function askedFor(now: () => Date): Date {
  try {
    return callNow("now", now, "a Date", (value) => value instanceof Date);
  } catch (error) {
    if (!isCallbackError(error)) throw error;
    throw new EmbeddedError(EmbeddedErrorCode.OPTION, error.message, {
      details: { option: "now" },
      cause: error.cause ?? error,
    });
  }
}

/** Calendar day and time of day of an instant in a zone. */
function wallClock(instant: Date, timeZone: string): { day: CivilDay; time: CivilTime } {
  const found = new Map<string, number>();
  for (const part of formatter(timeZone).formatToParts(instant)) found.set(part.type, Number(part.value));
  const read = (type: string) => found.get(type) ?? 0;
  return {
    day: { year: read("year"), month: read("month"), day: read("day") },
    time: { hour: read("hour") % 24, minute: read("minute"), second: read("second") },
  };
}

/** The instant at which a zone's clocks show this day and time. In a gap of clock change, the moment after it. */
export function instantOf(day: CivilDay, time: CivilTime, timeZone: string): Date {
  const wanted = Date.UTC(day.year, day.month - 1, day.day, time.hour, time.minute, time.second);
  let guess = wanted;
  for (let round = 0; round < 2; round += 1) {
    const shown = wallClock(new Date(guess), timeZone);
    const shownAt = Date.UTC(
      shown.day.year,
      shown.day.month - 1,
      shown.day.day,
      shown.time.hour,
      shown.time.minute,
      shown.time.second,
    );
    guess += wanted - shownAt;
  }
  return new Date(guess);
}

/** Moves by days; any `day` number is read, so `{day: 0}` is the last of the month before. */
export function addDays(from: CivilDay, days: number): CivilDay {
  return fromUtc(Date.UTC(from.year, from.month - 1, from.day + days));
}

/** Moves by months; a day that the month has not becomes its last. */
export function addMonths(from: CivilDay, months: number): CivilDay {
  const first = fromUtc(Date.UTC(from.year, from.month - 1 + months, 1));
  return { ...first, day: Math.min(from.day, lastOfMonth(first).day) };
}

export function firstOfMonth(day: CivilDay): CivilDay {
  return { ...day, day: 1 };
}

export function lastOfMonth(day: CivilDay): CivilDay {
  return fromUtc(Date.UTC(day.year, day.month, 0));
}

/** 0 for Monday to 6 for Sunday. */
export function weekday(day: CivilDay): number {
  return (new Date(Date.UTC(day.year, day.month - 1, day.day)).getUTCDay() + 6) % 7;
}

/** `2025-10-12`. */
export function formatDay(day: CivilDay): string {
  const two = (value: number) => String(value).padStart(2, "0");
  return `${String(day.year).padStart(4, "0")}-${two(day.month)}-${two(day.day)}`;
}

/** Reads `2025-10-12`; undefined when that is not a day of the calendar. */
export function parseDay(text: string): CivilDay | undefined {
  const match = /^(\d{4})-(\d{1,2})-(\d{1,2})$/.exec(text);
  if (match === null) return undefined;
  const read = { year: Number(match[1]), month: Number(match[2]), day: Number(match[3]) };
  const normal = fromUtc(Date.UTC(read.year, read.month - 1, read.day));
  return normal.month === read.month && normal.day === read.day && read.year >= 100 ? read : undefined;
}

function fromUtc(milliseconds: number): CivilDay {
  const date = new Date(milliseconds);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth() + 1, day: date.getUTCDate() };
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  try {
    const made = new Intl.DateTimeFormat("en-u-ca-gregory-nu-latn", {
      timeZone,
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
      hourCycle: "h23",
    });
    formatters.set(timeZone, made);
    return made;
  } catch (cause) {
    throw new EmbeddedError(
      EmbeddedErrorCode.OPTION,
      `Expected \`timeZone\` to be an IANA time zone such as "Europe/Paris", got ${describe(timeZone)}.`,
      { details: { option: "timeZone", value: describe(timeZone) }, cause },
    );
  }
}

function describe(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 80)) : `${typeof value}`;
}
