import { type CivilDay, type Clock, formatDay, parseDay } from "./calendar.ts";

/** A day, or the days from one to another, that a text writes out with the name of a month. Offsets are of UTF-16 units. */
export interface WrittenDays {
  readonly start: number;
  readonly end: number;
  readonly from: CivilDay;
  readonly to: CivilDay;
}

const months = "jan feb mar apr may jun jul aug sep oct nov dec".split(" ");
const month =
  "(jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\\b\\.?";
const day = "(\\d{1,2})(?:st|nd|rd|th)?";
/** Of this century or one beside it; "December 3rd, 1500 litres" says how much. */
const year = "(?:,? ((?:19|20|21)\\d\\d)(?!\\d|:))?";
const dash = "\\s*(?:to|until|till|through|-|–)\\s*";

/** "1 to 15 November 2026", "between 3 and 5 May". */
const dayToDay = new RegExp(
  `(?<![\\w.:/-])(?:(?<=\\bbetween )${day} and |${day}\\.?${dash})(?:the )?${day}\\.? (?:of )?${month}${year}`,
  "gi",
);
/** "November 1-15, 2026", "May 3 to 5". */
const monthDayToDay = new RegExp(`(?<![\\w.-])${month} ${day}${dash}${day}(?![\\w:]| ?[ap]\\.?m)${year}`, "gi");
/** "20 November 2026", "the 3rd of March". */
const dayMonth = new RegExp(`(?<![\\w.:/-])${day}\\.? (?:of )?${month}${year}`, "gi");
/** "November 20, 2026", "March 3rd". */
const monthDay = new RegExp(`(?<![\\w.-])${month} ${day}(?![\\w:/.-]|,\\d| ?[ap]\\.?m)${year}`, "gi");

/** "2.12.2026": with dots the day comes first, wherever they are written so. */
const dotted = /(?<![\w.:/-])(\d{1,2})\.\s?(\d{1,2})\.\s?((?:19|20|21)\d\d)(?![\w:/-]|\.\d)/g;

/**
 * Days that are written out with the name of a month or as day, month and year with dots, in order of appearance; of days in one month both ends. A year that is not said is
 * the one that brings the day nearest, or the next one with `forward`. Linear in the text.
 */
export function findWrittenDays(text: string, clock: Clock, forward: boolean): WrittenDays[] {
  const found: WrittenDays[] = [];
  const add = (
    index: number,
    length: number,
    days: readonly [from: string, to: string],
    name: string,
    said?: string,
  ) => {
    const [start, end] = [index, index + length];
    if (found.some((other) => other.start < end && start < other.end)) return;
    const number = /^\d/.test(name) ? Number(name) : months.indexOf(name.slice(0, 3).toLowerCase()) + 1;
    const to = dayOf(number, Number(days[1]), said, clock, forward);
    const from = to && parseDay(formatDay({ ...to, day: Number(days[0]) }));
    if (from !== undefined && to !== undefined && from.day <= to.day) found.push({ start, end, from, to });
  };
  for (const match of text.matchAll(dayToDay))
    add(match.index, match[0].length, [match[1] ?? match[2]!, match[3]!], match[4]!, match[5]);
  for (const match of text.matchAll(monthDayToDay))
    add(match.index, match[0].length, [match[2]!, match[3]!], match[1]!, match[4]);
  for (const match of text.matchAll(dayMonth))
    add(match.index, match[0].length, [match[1]!, match[1]!], match[2]!, match[3]);
  for (const match of text.matchAll(monthDay))
    add(match.index, match[0].length, [match[2]!, match[2]!], match[1]!, match[3]);
  for (const match of text.matchAll(dotted))
    add(match.index, match[0].length, [match[1]!, match[1]!], match[2]!, match[3]);
  return found.sort((left, right) => left.start - right.start);
}

function dayOf(month: number, day: number, said: string | undefined, { today }: Clock, forward: boolean) {
  const at = (year: number) => parseDay(formatDay({ year, month, day }));
  if (said !== undefined) return at(Number(said));
  const own = at(today.year);
  if (own === undefined) return undefined;
  const [now, then] = [number(today), number(own)];
  if (forward) return then < now ? (at(today.year + 1) ?? own) : own;
  if (then - now > halfYear) return at(today.year - 1) ?? own;
  return now - then > halfYear ? (at(today.year + 1) ?? own) : own;
}

const halfYear = 183;

/** Days since a fixed one. */
const number = (day: CivilDay) => Math.round(Date.UTC(day.year, day.month - 1, day.day) / 86_400_000);
