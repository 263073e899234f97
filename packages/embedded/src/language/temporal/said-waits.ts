import { addDays, type Clock, formatDay, instantOf } from "./calendar.ts";
import type { DateSpan } from "./find-dates.ts";
import { countPattern, readCount } from "./relative-range.ts";

/** A time that is to pass before what follows is done, with its offsets in the text. */
export interface SaidWait {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly wait: { readonly for_ms: number } | { readonly until: string };
}

const opening = "(?<=^\\s*|[.;,\\n]\\s*|\\bthen\\s+|\\band\\s+)(?:please\\s+)?wait\\s+";
const lasting = new RegExp(
  `${opening}(?:for\\s+)?(${countPattern}|half an)\\s+(seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?)\\b`,
  "gi",
);
const until = new RegExp(`${opening}(?=(?:until|till)\\s)`, "gi");
const milliseconds: readonly (readonly [RegExp, number])[] = [
  [/^s/i, 1_000],
  [/^m/i, 60_000],
  [/^h/i, 3_600_000],
  [/^d/i, 86_400_000],
  [/^w/i, 7 * 86_400_000],
];

/** "wait 2 hours, then …", "…, then wait until tomorrow 8am and …". Linear in the text and its dates. @param dates those of the text */
export function findWaits(text: string, dates: readonly DateSpan[], clock: Clock): SaidWait[] {
  const found: SaidWait[] = [];
  for (const match of text.matchAll(lasting)) {
    const amount = /^half/i.test(match[1]!) ? 0.5 : readCount(match[1]!);
    const [, length] = milliseconds.find(([pattern]) => pattern.test(match[2]!)) ?? [];
    if (amount === undefined || length === undefined) continue;
    const end = match.index + match[0].length;
    found.push({ start: match.index, end, text: text.slice(match.index, end), wait: { for_ms: amount * length } });
  }
  for (const match of text.matchAll(until)) {
    const from = match.index + match[0].length;
    const date = dates.find(({ start }) => start >= from && start <= from + 12);
    const at = date && momentOf(date, clock);
    if (date === undefined || at === undefined) continue;
    found.push({ start: match.index, end: date.end, text: text.slice(match.index, date.end), wait: { until: at } });
  }
  return found.sort((left, right) => left.start - right.start);
}

/** A day without a time of day begins at midnight; a time of day without a day comes next. */
function momentOf({ from, to, time, beside, zone }: DateSpan, clock: Clock): string | undefined {
  const said = to ?? from ?? beside?.day;
  const { today, time: now } = clock;
  const isOver = time !== undefined && time.hour * 60 + time.minute <= now.hour * 60 + now.minute;
  const day = said ?? (time === undefined ? undefined : isOver ? addDays(today, 1) : today);
  if (day === undefined || formatDay(day) < formatDay(today)) return undefined;
  return instantOf(day, time ?? { hour: 0, minute: 0, second: 0 }, zone ?? clock.timeZone).toISOString();
}
