import type * as Chrono from "chrono-node/en";
import { loadChrono } from "#lazy/chrono";
import { type CivilDay, type CivilTime, type Clock, firstOfMonth, lastOfMonth } from "./calendar.ts";
import { offsetZone, type Zone } from "./time-zones.ts";

/** A span of text that names days, a time, or both. Offsets are of UTF-16 units, `end` after the last. */
export interface CalendarWords {
  readonly start: number;
  readonly end: number;
  readonly from?: CivilDay;
  readonly to?: CivilDay;
  readonly time?: CivilTime;
  readonly endTime?: CivilTime;
  /** Said with the time: "3 pm EST". */
  readonly zone?: Zone;
  /** The days with the day first, where they are written so that nothing tells what is first: "2/12/2026". The others have the month first. */
  readonly swapped?: SwappedDays;
}

/** The same days, read with day and month in the other order. */
export interface SwappedDays {
  readonly from?: CivilDay;
  readonly to?: CivilDay;
}

/** Without one of these no calendar words can be in a text, so that the parser need not be loaded. */
const cue =
  /\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\b|\b(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?s?\b|\d{1,4}[/.]\d{1,2}|\d(?:st|nd|rd|th)\b|\d{1,2}:\d{2}|\d ?[ap]\.?m\b|\bo.?clock\b|\bnoon\b|\bmidnight\b/i;

/**
 * Month names, weekdays, written-out dates and times of day, in order of appearance.
 * @param forward a weekday or a day without a year lies ahead rather than nearest
 */
export function findCalendarWords(text: string, clock: Clock, forward: boolean): CalendarWords[] {
  if (!cue.test(text)) return [];
  // A day without zone arithmetic: wall clock as if it were UTC, both in and out.
  const { today, time } = clock;
  const instant = new Date(Date.UTC(today.year, today.month - 1, today.day, time.hour, time.minute, time.second));
  const found: CalendarWords[] = [];
  const order = slashOrder(text);
  for (const result of loadChrono().casual.parse(
    withoutIds(text),
    { instant, timezone: 0 },
    { forwardDate: forward },
  )) {
    if (beginsName(text, result)) continue;
    const words = readResult(result);
    if (words !== undefined) found.push(inOrder(words, result.text, order));
  }
  return found;
}

const slashes = /(?<![\d/.])(\d{1,2})\/(\d{1,2})(?:\/\d{2,4})?(?![\d/.])/g;

/** What comes first in days that are written with slashes, where one of them says so: "25/12/2026". Undefined where none does, or two disagree. */
function slashOrder(text: string): "day" | "month" | undefined {
  const orders = new Set<"day" | "month">();
  for (const [, first, second] of text.matchAll(slashes)) {
    if (Number(first) > 12 && Number(second) <= 12) orders.add("day");
    if (Number(second) > 12 && Number(first) <= 12) orders.add("month");
  }
  return orders.size === 1 ? [...orders][0] : undefined;
}

/** Days written with slashes, in the order of the others; with both readings where nothing tells. */
function inOrder(words: CalendarWords, said: string, order: "day" | "month" | undefined): CalendarWords {
  const written = said.match(slashes)?.length ?? 0;
  if (order === "month" || written === 0 || !/^\d{1,2}\//.test(said)) return words;
  const { from, to } = words;
  const isOneDay = JSON.stringify(from) === JSON.stringify(to);
  const last = to !== undefined && (written > 1 || isOneDay) ? swappedDay(to) : to;
  const swapped = daysOf(from && swappedDay(from), last);
  if (JSON.stringify(swapped) === JSON.stringify(daysOf(from, to))) return words;
  return order === "day" ? { ...words, ...swapped } : { ...words, swapped };
}

/** Days without those that are not there. */
export const daysOf = (from: CivilDay | undefined, to: CivilDay | undefined): SwappedDays => ({
  ...(from && { from }),
  ...(to && { to }),
});

/** The number of no month stays that of a day. */
const swappedDay = ({ year, month, day }: CivilDay): CivilDay =>
  day > 12 ? { year, month, day } : { year, month: day, day: month };

/** "C-12", "bp_220", but not "Dec-12". */
const id =
  /(?<![\p{L}\p{N}_-])(?!(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|mon|tue|wed|thu|fri|sat|sun)[a-z]*-)\p{L}{1,12}[-_#]\d+(?![\p{L}\p{N}])/giu;
/** The number of "order 12 next Tuesday"; "at 3 next Tuesday" is a time. */
const numberBefore =
  /(?<!\b(?:at|by|from|until|till|around|about|before|after|since|to|-)\s)(?<![\p{L}\p{N}.:/-])\d{1,4}(?=\s+(?:next|this|last|coming|past)\s)/giu;

/** The first number of "set the weight of crate 9 to 3.8". */
const numberSet =
  /(?<=\p{L} )(?<!\b(?:at|by|from|between|on|of|open|until|till) )\d{1,4}(?= to \d{1,4}\.\d{1,3}(?![.\d]|\s?[ap]\.?m\b))/giu;

/** "for 2.5 days" says how long; "in 2.5 hours" and "2.5 hours ago" say when. */
const decimals =
  /(?<!\bin\s)(?<![\d.,])\d{1,4}\.\d{1,3}(?=\s+(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?)\b(?!\s+(?:ago|from now)))/giu;

/** The number of "for 11 on Saturday at 19:00", where another one says the time. */
const people =
  /(?<=\bfor\s)\d{1,3}(?=\s+(?:on\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day\b|\s+(?:tomorrow|tonight|today)\b)/giu;
const timeOfDay = /\bat \d{1,2}\b|\d{1,2}:\d{2}|\d ?[ap]\.?m\b/i;

/** The text with signs that no date has in the place of ids and of numbers of things, so that offsets stay: the day after "C-12 next Tuesday" is Tuesday's. */
const withoutIds = (text: string) => {
  const blanked = (found: string) => "\u25a0".repeat(found.length);
  const counted = timeOfDay.test(text) ? text.replace(people, blanked) : text;
  return counted
    .replace(id, blanked)
    .replace(numberBefore, blanked)
    .replace(numberSet, blanked)
    .replace(decimals, blanked);
};

/** "the Sun Gate", "May Fair": a weekday or month alone that nothing leads to, and that continues a name. */
function beginsName(text: string, { index, text: said }: Chrono.ParsedResult): boolean {
  if (
    !/^\p{Lu}\p{Ll}+$/u.test(said) ||
    !/^ \p{Lu}\p{Ll}/u.test(text.slice(index + said.length, index + said.length + 3))
  )
    return false;
  return /(?:^|\s)(?:the|an?|of|called|named)\s$/i.test(text.slice(Math.max(0, index - 8), index));
}

function readResult(result: Chrono.ParsedResult): CalendarWords | undefined {
  const { start, end, index, text } = result;
  // "may" and "sat" in lower case are a verb and another one.
  if (/^(?:may|mar|march|sat|sun|wed|now|second|min)$/.test(text)) return undefined;
  // "for an hour" lasts, at no time of its own.
  if (/^(?:(?!in|within|next|last|past|this)[\p{L}\d.]+[ -])*(?:hour|minute|second)s?$/iu.test(text)) return undefined;
  // "in the month" of something is not a month from now.
  if (/^(?:in|within|for|during) the \p{L}+$/iu.test(text) && !start.isCertain("weekday")) return undefined;
  // The point behind "4 January." ends a sentence.
  const place = { start: index, end: index + text.replace(/(?<=\p{L}{4})\.$/u, "").length };
  const time = start.isCertain("hour") ? timeOf(start) : undefined;
  const endTime = end?.isCertain("hour") === true ? timeOf(end) : undefined;
  const offset = start.isCertain("timezoneOffset") ? start.get("timezoneOffset") : null;
  const times = {
    ...(time && { time }),
    ...(endTime && { endTime }),
    ...(typeof offset === "number" && { zone: offsetZone(offset) }),
  };
  const dated = start.isCertain("day") || start.isCertain("weekday") || start.isCertain("month");
  if (!dated) return time === undefined ? undefined : { ...place, ...times };
  const first = dayOf(start);
  const last = end === null || end === undefined ? first : dayOf(end);
  const wholeMonths = !start.isCertain("day") && !start.isCertain("weekday");
  if (!wholeMonths) return { ...place, ...times, from: first, to: last };
  return { ...place, from: firstOfMonth(first), to: lastOfMonth(last) };
}

function dayOf(components: Chrono.ParsedResult["start"]): CivilDay {
  return {
    year: components.get("year") ?? 1970,
    month: components.get("month") ?? 1,
    day: components.get("day") ?? 1,
  };
}

function timeOf(components: Chrono.ParsedResult["start"]): CivilTime {
  return {
    hour: components.get("hour") ?? 0,
    minute: components.get("minute") ?? 0,
    second: components.get("second") ?? 0,
  };
}
