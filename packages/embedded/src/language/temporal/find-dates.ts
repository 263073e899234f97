import { hideLiterals } from "../text/literals.ts";
import { addDays, addMonths, type CivilDay, type CivilTime, type Clock, formatDay, parseDay } from "./calendar.ts";
import { daysOf, findCalendarWords, type SwappedDays } from "./calendar-words.ts";
import { endAfter, withTimesBeside } from "./clock-times.ts";
import { daysListedBefore } from "./listed-days.ts";
import { countPattern, readCount, relativePattern, relativeRange } from "./relative-range.ts";
import { offsetZone, type Zone, zoneAfter, zoneOfCity } from "./time-zones.ts";
import { findWrittenDays } from "./written-days.ts";

/** Words of a text that name a day, a range of days or a time of day, with the small words that belong to them. */
export interface DateSpan {
  readonly start: number;
  readonly end: number;
  /** Without `from` and `to`: a time of day alone. One of the two alone: open to the other side. */
  readonly from?: CivilDay;
  readonly to?: CivilDay;
  readonly time?: CivilTime;
  readonly endTime?: CivilTime;
  /** Whose clocks show the time; absent: those of the planning clock's zone. */
  readonly zone?: Zone;
  /** A time of day alone: the day that its sentence names beside it ("at 3 pm … tomorrow"), and the index of that span. */
  readonly beside?: { readonly at: number; readonly day: CivilDay };
  /** The bound itself is not meant: "after", "before". */
  readonly exclusive?: boolean;
  /** The days read with the day first, where nothing tells what is first: "2/12/2026". `from` and `to` have the month first. */
  readonly swapped?: SwappedDays;
  /** As it is written in the text, without the small words. */
  readonly text: string;
}

interface FoundDate {
  start: number;
  end: number;
  from?: CivilDay;
  to?: CivilDay;
  time?: CivilTime;
  endTime?: CivilTime;
  zone?: Zone;
  swapped?: SwappedDays;
  text: string;
}

const joint = /^\s*(to|until|till|through|thru|and|up to|[-–—])\s*(?:the\s+)?$/i;
const lead =
  /\b(from|between|since|after|before|until|till|by|no later than|on or after|starting(?: from| on)?|beginning(?: on)?|as of|up to|through|during|for|on|in|of|over|within|dated|at)\s+(?:the\s+)?$/i;
const openings = new Map([
  ["since", "from"],
  ["from", "from"],
  ["on or after", "from"],
  ["starting", "from"],
  ["beginning", "from"],
  ["as of", "from"],
  ["after", "from"],
  ["until", "to"],
  ["till", "to"],
  ["by", "to"],
  ["no later than", "to"],
  ["up to", "to"],
  ["through", "to"],
  ["before", "to"],
]);

/**
 * Every date in a text, in order, none overlapping. Two days joined by "to", or by "and" after "between", are one
 * range; "since", "until", "after" and "before" leave one side open. Linear in the length of the text.
 * @param options.forward days without a year lie ahead
 * @param options.moves a thing gets another time: the day behind "to" is the new one, and no end of a range
 */
export function findDates(
  text: string,
  clock: Clock,
  options: { forward?: boolean; moves?: boolean } = {},
): DateSpan[] {
  // A path or a link is not a date, whatever parts of it look like.
  const plain = hideLiterals(text);
  const apart = options.moves === true ? plain.replace(/\bto\b/gi, "\u25a0\u25a0") : plain;
  const found = withTimesBeside(scan(apart, clock, options.forward ?? false), text);
  const spans: DateSpan[] = [];
  for (let at = 0; at < found.length; at += 1) {
    let span = found[at]!;
    const before = text.slice(Math.max(0, span.start - 24), span.start);
    const leading = lead.exec(before);
    const word = leading?.[1]?.toLowerCase().replace(/ (?:from|on)$/, "") ?? "";
    const next = found[at + 1];
    const link = next === undefined ? null : joint.exec(text.slice(span.end, next.start).slice(0, 24));
    if (
      next !== undefined &&
      link !== null &&
      text.slice(span.end, next.start).length <= 24 &&
      (link[1]?.toLowerCase() !== "and" || word === "between") &&
      !(options.moves === true && link[1]?.toLowerCase() === "to")
    ) {
      span = join(span, next, text);
      at += 1;
    }
    const start = leading === null ? span.start : span.start - (before.length - leading.index);
    const possessive = /^[’']s?\b/.exec(text.slice(span.end, span.end + 3));
    const end = span.end + (possessive?.[0].length ?? 0);
    const endTime =
      span.time === undefined || span.endTime !== undefined
        ? undefined
        : endAfter(span.time, text.slice(span.end, span.end + 40));
    if (endTime !== undefined) span = { ...span, endTime };
    spans.push({ ...opened(span, word, clock.today), start, end });
  }
  return withDays(spans, text);
}

/** "on the 19th": the next one after the date before it, else after today. */
const dayOfMonth =
  /(?<=\b(?:on|until|till|by|through) )the (\d{1,2})(?:st|nd|rd|th)\b(?=\s*(?:$|[.,;!?)]|(?:and|or|for|at|from|to|in|with|until|by)\b))/gi;

/** "the last two hours", "the next 90 minutes". */
const nearHours = new RegExp(
  `(?<![\\w-]|\\d\\.)(?:the )?(last|past|previous|next|coming|following) (${countPattern}) (minutes?|mins?|hours?|hrs?)\\b`,
  "gi",
);

/** "in 20 minutes", "two hours ago". */
const nearInstant = new RegExp(
  `(?<=\\bin )(${countPattern}) (minutes?|mins?|hours?|hrs?)\\b(?! ago)|(?<![\\w-]|\\d\\.)(${countPattern}) (minutes?|mins?|hours?|hrs?) (ago|from now)\\b`,
  "gi",
);

function minutesLater({ today, time }: Clock, minutes: number): { day: CivilDay; time: CivilTime } {
  const then = time.hour * 60 + time.minute + minutes;
  const days = Math.floor(then / 1440);
  const rest = then - days * 1440;
  return { day: addDays(today, days), time: { hour: Math.floor(rest / 60), minute: rest % 60, second: 0 } };
}

const sentenceEnd = /[.!?;]\s|\n/;

/** A time of day takes the nearest day that its sentence names, and the zone of a city that follows. */
function withDays(spans: readonly DateSpan[], text: string): DateSpan[] {
  return spans.map((span, own) => {
    const zone = span.time === undefined ? undefined : (span.zone ?? cityZone(text.slice(span.end, span.end + 40)));
    if (span.time === undefined || span.from !== undefined || span.to !== undefined)
      return zone === undefined ? span : { ...span, zone };
    const near = [own - 2, own - 1, own + 1, own + 2].flatMap((at) => {
      const other = spans[at];
      const day = other?.from;
      if (other === undefined || day === undefined || other.time !== undefined || !sameDay(day, other.to)) return [];
      const between = text.slice(Math.min(span.end, other.end), Math.max(span.start, other.start));
      return between.length > 60 || sentenceEnd.test(between) ? [] : [{ at, day, distance: between.length }];
    });
    const [nearest] = near.sort((left, right) => left.distance - right.distance);
    return {
      ...span,
      ...(nearest && { beside: { at: nearest.at, day: nearest.day } }),
      ...(zone !== undefined && { zone }),
    };
  });
}

/** "… in New York": the zone of a city. */
function cityZone(rest: string): Zone | undefined {
  const [, city] = /^ in ((?:\p{Lu}\p{L}+ ?){1,3})/u.exec(rest) ?? [];
  return city === undefined ? undefined : zoneOfCity(city.trim());
}

function opened(span: FoundDate, word: string, today: CivilDay): DateSpan {
  const side = openings.get(word);
  const oneDay = span.from !== undefined && span.to !== undefined && sameDay(span.from, span.to);
  // "from last week" means within it, "since last week" from its first day on.
  if (side === undefined || span.from === undefined || (word === "from" && (!oneDay || isRelativeDay(span.text))))
    return span;
  const { from, to, swapped, ...other } = span;
  const days = side === "from" ? daysOf(swapped?.from, undefined) : daysOf(undefined, swapped?.to);
  const rest = { ...other, ...(swapped && { swapped: days }) };
  const exclusive = word === "after" || word === "before";
  if (side === "from") {
    let bound = word === "after" ? to : from;
    // "since Monday" is the Monday gone by, though the coming one may be nearer.
    if (word === "since" && bound !== undefined && formatDay(bound) > formatDay(today) && !/\d{4}/.test(span.text))
      bound = oneDay && /day/i.test(span.text) ? addDays(bound, -7) : addMonths(bound, -12);
    return { ...rest, ...(bound && { from: bound }), exclusive };
  }
  const bound = word === "before" ? from : to;
  return { ...rest, ...(bound && { to: bound }), exclusive };
}

/** "from yesterday" is that day; "from 3 May" is the days since. */
function isRelativeDay(text: string): boolean {
  return /^(?:today|tonight|yesterday|tomorrow|the day .*|day .*|this .*)$/i.test(text);
}

function join(left: FoundDate, right: FoundDate, text: string): FoundDate {
  const from = left.from ?? right.from;
  const to = right.to ?? left.to;
  const endTime = right.time;
  const isSwapped = left.swapped !== undefined || right.swapped !== undefined;
  return {
    start: left.start,
    end: right.end,
    ...(from && { from }),
    ...(to && { to }),
    ...(left.time && { time: left.time }),
    ...(endTime && { endTime }),
    ...((left.zone ?? right.zone) && { zone: left.zone ?? right.zone }),
    ...(isSwapped && { swapped: daysOf(left.swapped?.from ?? from, right.swapped?.to ?? to) }),
    text: text.slice(left.start, right.end),
  };
}

function scan(text: string, clock: Clock, forward: boolean): FoundDate[] {
  const found: FoundDate[] = [];
  let masked = text;
  const take = (start: number, length: number, value: Omit<FoundDate, "start" | "end" | "text">) => {
    found.push({ start, end: start + length, text: text.slice(start, start + length), ...value });
  };
  for (const match of text.matchAll(
    /(?<![\w-])(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?(?![\w-])/g,
  )) {
    const day = parseDay(match[1]!);
    if (day === undefined) continue;
    const time = match[2] === undefined ? undefined : { hour: +match[2], minute: +match[3]!, second: +(match[4] ?? 0) };
    const zone = zoneOfOffset(match[5]);
    take(match.index, match[0].length, { from: day, to: day, ...(time && { time }), ...(zone && { zone }) });
  }
  for (const match of text.matchAll(nearHours)) {
    const amount = readCount(match[2]!);
    if (amount === undefined) continue;
    const minutes = amount * (/^h/i.test(match[3]!) ? 60 : 1);
    const isAhead = /^[ncf]/i.test(match[1]!);
    const [now, other] = [minutesLater(clock, 0), minutesLater(clock, isAhead ? minutes : -minutes)];
    const [first, last] = isAhead ? [now, other] : [other, now];
    take(match.index, match[0].length, { from: first.day, to: last.day, time: first.time, endTime: last.time });
  }
  for (const match of text.matchAll(new RegExp(`(?<![\\w-]|\\d\\.)(?:${relativePattern})(?![\\w-])`, "gi"))) {
    // "Play Yesterday by …": inside a sentence a capital makes a name of it.
    if (/^[TY]/.test(match[0]) && /[\p{L},]\s$/u.test(text.slice(0, match.index))) continue;
    const range = relativeRange(match[0], clock.today, isOfPast(text, match.index));
    if (range !== undefined) take(match.index, match[0].length, range);
  }
  for (const match of text.matchAll(nearInstant)) {
    const [, ahead, aheadUnit, other, otherUnit, side] = match;
    const amount = readCount(ahead ?? other ?? "");
    if (amount === undefined) continue;
    const minutes = amount * (/^h/i.test(aheadUnit ?? otherUnit ?? "") ? 60 : 1);
    const moved = minutesLater(clock, side?.toLowerCase() === "ago" ? -minutes : minutes);
    take(match.index, match[0].length, { from: moved.day, to: moved.day, time: moved.time });
  }
  for (const match of text.matchAll(
    /(?<=\b(?:in|of|during|for|since|year|from|until|before|after) )((?:19|20)\d\d)(?![\w-]|[.,/:]\d)/g,
  )) {
    const year = Number(match[1]);
    take(match.index, 4, { from: { year, month: 1, day: 1 }, to: { year, month: 12, day: 31 } });
  }
  for (const { start, end, from, to } of findWrittenDays(text, clock, forward))
    if (!found.some((other) => other.start < end && start < other.end)) take(start, end - start, { from, to });
  found.sort((left, right) => left.start - right.start);
  found.splice(0, found.length, ...withTimesBeside(found, text).map((span) => withZone(span, text)));
  if (found.length > 0) masked = blank(text, found);
  const words = findCalendarWords(masked, clock, forward);
  if (words.length > 0) {
    const free = blank(text, []);
    for (const { start, end, ...value } of words) {
      if (found.some((other) => other.from !== undefined && other.start < end && start < other.end)) continue;
      const named = value.time === undefined ? undefined : zoneAfter(text.slice(end, end + 60));
      const stop = end + (named?.length ?? 0);
      found.push({ start, end: stop, text: free.slice(start, stop), ...value, ...(named && { zone: named.zone }) });
    }
  }
  found.sort((left, right) => left.start - right.start || right.end - left.end);
  found.push(...daysListedBefore(found, text));
  found.sort((left, right) => left.start - right.start || right.end - left.end);
  for (const match of text.matchAll(dayOfMonth)) {
    const number = Number(match[1]);
    const before = found.findLast(({ end, to }) => end <= match.index && to !== undefined)?.to ?? clock.today;
    const same = parseDay(formatDay({ ...before, day: number }));
    const day =
      number >= before.day ? same : parseDay(formatDay({ ...addMonths({ ...before, day: 1 }, 1), day: number }));
    if (day !== undefined) take(match.index, match[0].length, { from: day, to: day });
  }
  found.sort((left, right) => left.start - right.start || right.end - left.end);
  return found.filter(
    (span, at) => at === 0 || span.start >= Math.max(...found.slice(Math.max(0, at - 3), at).map((s) => s.end)),
  );
}

const pastWords =
  /\b(?:did|was|were|has|have|had|happened|went|came|made|sent|sold|bought|spent|paid|done|got|won|lost|ran|wrote|\p{L}{2,}[^e\W]ed|so far)\b/iu;

/** What a sentence tells up to a place is over: "the samples that expired this week". */
function isOfPast(text: string, at: number): boolean {
  const before = text.slice(Math.max(0, at - 120), at);
  const sentence = before.slice(
    Math.max(...[". ", "! ", "? ", "; ", "\n"].map((mark) => before.lastIndexOf(mark))) + 1,
  );
  return pastWords.test(sentence) || /^\s*so far\b/i.test(text.slice(at).replace(/^\S+ \S+/, ""));
}

/** "tomorrow at 6 am EST": the zone that is said right after a time. */
function withZone(span: FoundDate, text: string): FoundDate {
  const named =
    span.time === undefined || span.zone !== undefined ? undefined : zoneAfter(text.slice(span.end, span.end + 60));
  if (named === undefined) return span;
  const end = span.end + named.length;
  return { ...span, end, text: text.slice(span.start, end), zone: named.zone };
}

/** "Z" and "+0530" as a zone. */
function zoneOfOffset(said: string | undefined): Zone | undefined {
  if (said === undefined) return undefined;
  const [, sign, hours, minutes] = /^([+-])(\d{2}):?(\d{2})$/.exec(said) ?? [];
  return sign === undefined ? "UTC" : offsetZone((sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes)));
}

/** The text with the spans made spaces, so that a second reader keeps its offsets. */
function blank(text: string, spans: readonly FoundDate[]): string {
  let result = "";
  let at = 0;
  for (const { start, end } of [...spans].sort((left, right) => left.start - right.start)) {
    if (start < at) continue;
    result += text.slice(at, start) + " ".repeat(end - start);
    at = end;
  }
  return result + text.slice(at);
}

function sameDay(left: CivilDay | undefined, right: CivilDay | undefined): boolean {
  return left?.year === right?.year && left?.month === right?.month && left?.day === right?.day;
}
