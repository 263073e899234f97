import { addDays, addMonths, type CivilDay, type CivilTime, type Clock, formatDay, parseDay } from "./calendar.ts";
import { findCalendarWords } from "./calendar-words.ts";
import { relativePattern, relativeRange } from "./relative-range.ts";

/** Words of a text that name a day, a range of days or a time of day, with the small words that belong to them. */
export interface DateSpan {
  readonly start: number;
  readonly end: number;
  /** Without `from` and `to`: a time of day alone. One of the two alone: open to the other side. */
  readonly from?: CivilDay;
  readonly to?: CivilDay;
  readonly time?: CivilTime;
  readonly endTime?: CivilTime;
  /** The bound itself is not meant: "after", "before". */
  readonly exclusive?: boolean;
  /** As it stands in the text, without the small words. */
  readonly text: string;
}

interface Found {
  start: number;
  end: number;
  from?: CivilDay;
  to?: CivilDay;
  time?: CivilTime;
  endTime?: CivilTime;
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
 */
export function findDates(text: string, clock: Clock, options: { forward?: boolean } = {}): DateSpan[] {
  const found = scan(text, clock, options.forward ?? false);
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
      (link[1]?.toLowerCase() !== "and" || word === "between")
    ) {
      span = join(span, next, text);
      at += 1;
    }
    const start = leading === null ? span.start : span.start - (before.length - leading.index);
    const possessive = /^[’']s?\b/.exec(text.slice(span.end, span.end + 3));
    const end = span.end + (possessive?.[0].length ?? 0);
    spans.push({ ...opened(span, word, clock.today), start, end });
  }
  return spans;
}

function opened(span: Found, word: string, today: CivilDay): DateSpan {
  const side = openings.get(word);
  const oneDay = span.from !== undefined && span.to !== undefined && sameDay(span.from, span.to);
  // "from last week" means within it, "since last week" from its first day on.
  if (side === undefined || span.from === undefined || (word === "from" && (!oneDay || isRelativeDay(span.text))))
    return span;
  const { from, to, ...rest } = span;
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

function join(left: Found, right: Found, text: string): Found {
  const from = left.from ?? right.from;
  const to = right.to ?? left.to;
  const endTime = right.time;
  return {
    start: left.start,
    end: right.end,
    ...(from && { from }),
    ...(to && { to }),
    ...(left.time && { time: left.time }),
    ...(endTime && { endTime }),
    text: text.slice(left.start, right.end),
  };
}

function scan(text: string, clock: Clock, forward: boolean): Found[] {
  const found: Found[] = [];
  let masked = text;
  const take = (start: number, length: number, value: Omit<Found, "start" | "end" | "text">) => {
    found.push({ start, end: start + length, text: text.slice(start, start + length), ...value });
  };
  for (const match of text.matchAll(
    /(?<![\w-])(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\w-])/g,
  )) {
    const day = parseDay(match[1]!);
    if (day === undefined) continue;
    const time = match[2] === undefined ? undefined : { hour: +match[2], minute: +match[3]!, second: +(match[4] ?? 0) };
    take(match.index, match[0].length, { from: day, to: day, ...(time && { time }) });
  }
  for (const match of text.matchAll(new RegExp(`(?<![\\w-])(?:${relativePattern})(?![\\w-])`, "gi"))) {
    const range = relativeRange(match[0], clock.today);
    if (range !== undefined) take(match.index, match[0].length, range);
  }
  for (const match of text.matchAll(
    /(?<=\b(?:in|of|during|for|since|year|from|until) )((?:19|20)\d\d)(?![\w-]|[.,/:]\d)/g,
  )) {
    const year = Number(match[1]);
    take(match.index, 4, { from: { year, month: 1, day: 1 }, to: { year, month: 12, day: 31 } });
  }
  if (found.length > 0) masked = blank(text, found);
  const words = findCalendarWords(masked, clock, forward);
  if (words.length > 0) {
    const free = blank(text, []);
    for (const { start, end, ...value } of words) {
      if (found.some((other) => other.from !== undefined && other.start < end && start < other.end)) continue;
      found.push({ start, end, text: free.slice(start, end), ...value });
    }
  }
  found.sort((left, right) => left.start - right.start || right.end - left.end);
  return found.filter(
    (span, at) => at === 0 || span.start >= Math.max(...found.slice(Math.max(0, at - 3), at).map((s) => s.end)),
  );
}

/** The text with the spans made spaces, so that a second reader keeps its offsets. */
function blank(text: string, spans: readonly Found[]): string {
  let result = "";
  let at = 0;
  for (const { start, end } of [...spans].sort((left, right) => left.start - right.start)) {
    if (start < at) continue;
    result += text.slice(at, start) + " ".repeat(end - start);
    at = end;
  }
  return result + text.slice(at);
}

function sameDay(left: CivilDay, right: CivilDay): boolean {
  return left.year === right.year && left.month === right.month && left.day === right.day;
}
