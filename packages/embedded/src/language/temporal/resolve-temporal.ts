import { checkOptions } from "../../check-options.ts";
import { EmbeddedError, EmbeddedErrorCode } from "../../errors.ts";
import { type ClockOptions, clockChecks, formatDay, readClock } from "./calendar.ts";
import { findDates } from "./find-dates.ts";
import { relativeRange } from "./relative-range.ts";

/** ISO days (`2025-10-12`), both included. */
export interface DateRange {
  readonly date_from: string;
  readonly date_to: string;
}

/**
 * The days that a temporal reference means, in the calendar of a time zone. Any case. See `relativeRange` for what the
 * relative ones mean; dates written out ("October 1st to October 10th", "2025-10-01") are read too.
 * @throws EmbeddedError UNKNOWN_TEMPORAL for words that name no day; OPTION.
 */
export function resolveTemporal(reference: string, options: ClockOptions = {}): DateRange {
  checkOptions("`resolveTemporal`", options, clockChecks);
  const clock = readClock(options);
  const text = reference.slice(0, 200).trim();
  const relative = relativeRange(text, clock.today);
  if (relative !== undefined) return { date_from: formatDay(relative.from), date_to: formatDay(relative.to) };
  const spans = findDates(text, clock);
  const only = spans.length === 1 ? spans[0] : undefined;
  const covered = only !== undefined && only.end - only.start >= text.length;
  if (covered && (only.from ?? only.to) !== undefined) {
    const from = only.from ?? only.to ?? clock.today;
    // "since Monday" ends today; "until Friday" has no beginning, so there is only its last day.
    const to = only.to ?? clock.today;
    return { date_from: formatDay(from), date_to: formatDay(to) };
  }
  throw new EmbeddedError(EmbeddedErrorCode.UNKNOWN_TEMPORAL, `Unknown temporal reference: ${reference}`, {
    details: { reference },
  });
}

/** True when the day lies in the range, both ends included; a time of day is left aside. */
export function isWithinRange(date: string, range: DateRange): boolean {
  const day = date.slice(0, 10);
  return day >= range.date_from.slice(0, 10) && day <= range.date_to.slice(0, 10);
}
