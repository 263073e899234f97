import { actionsOfVerb } from "../text/actions.ts";
import { addDays, type Clock, formatDay, instantOf } from "./calendar.ts";
import type { DateSpan } from "./find-dates.ts";
import { asksQuestion, describes, opensRequest } from "./recurrence.ts";
import { countPattern, readCount } from "./relative-range.ts";

/** A time that is to pass, or something that is to come, before what follows is done, with its offsets in the text. */
export interface SaidWait {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  readonly wait:
    | { readonly for_ms: number }
    | { readonly until: string }
    | { readonly event: string; readonly key?: string };
  /** It says when one request is carried out ("close A-7 at 6 pm"); its sentence. Absent: what follows waits. */
  readonly delays?: { readonly from: number; readonly to: number };
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

const ahead = new RegExp(
  `\\bin\\s+(${countPattern}|half an)\\s+(seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?)\\b(?:\\s+from\\s+now)?`,
  "gi",
);
const endsRequest = /^\s*(?:$|[.!?;\n]|,?\s*(?:and|then)\s)/i;
/** A time that begins or bounds something, rather than the one at which it is done. */
const bounds =
  /^(?:from|between|since|after|before|until|till|by|no later than|on or after|up to|through|during|for|within)\b/i;

/**
 * "close A-7 tomorrow at 8", "in an hour, switch it off": when one request is to be carried out, at the beginning or the end of it. A day alone, what
 * describes a thing or a text, and questions say no such thing. Linear in the text and its dates.
 * @param dates those of the text, days without a year ahead
 * @param isVerb whether a word, in small letters, opens a request
 */
export function findDelays(
  text: string,
  dates: readonly DateSpan[],
  clock: Clock,
  isVerb: (lower: string) => boolean,
): SaidWait[] {
  const found: SaidWait[] = [];
  const add = (start: number, end: number, wait: SaidWait["wait"] | undefined) => {
    const request = requestAround(text, start, end, isVerb);
    const isNew = found.every((other) => other.end <= start || end <= other.start);
    if (wait !== undefined && request !== undefined && isNew)
      found.push({ start, text: text.slice(start, end), wait, ...request });
  };
  for (const match of text.matchAll(ahead)) {
    const amount = /^half/i.test(match[1]!) ? 0.5 : readCount(match[1]!);
    const [, length] = milliseconds.find(([pattern]) => pattern.test(match[2]!)) ?? [];
    if (amount === undefined || length === undefined) continue;
    add(match.index, match.index + match[0].length, { for_ms: amount * length });
  }
  for (const date of dates) {
    const isMoment = date.time !== undefined && date.endTime === undefined && !bounds.test(text.slice(date.start));
    const isOneDay = JSON.stringify(date.from) === JSON.stringify(date.to);
    const at = isMoment && isOneDay ? momentOf(date, clock) : undefined;
    add(date.start, date.end, at === undefined ? undefined : { until: at });
  }
  return found.sort((left, right) => left.start - right.start);
}

const opener = /^\s*(?:please\s+)?(\p{L}+)/u;
const beforeText = /^\s*(?:that|saying)\s/i;
const tells = (verb: string) =>
  actionsOfVerb(verb).has("send") || /^(?:tell|inform|remind|notify|warn|write|sms|let)$/.test(verb);

/** The sentence whose request begins or ends with these words, and where they end: a comma after them belongs to them. */
export function requestAround(
  text: string,
  start: number,
  end: number,
  isVerb: (lower: string) => boolean,
): { readonly end: number; readonly delays: { readonly from: number; readonly to: number } } | undefined {
  const before = text.slice(0, start);
  const from = Math.max(...[". ", "! ", "? ", "; ", "\n"].map((mark) => before.lastIndexOf(mark))) + 1;
  const [rest = ""] = /^[^.!?;\n]*(?:[.](?=\S)[^.!?;\n]*)*/.exec(text.slice(end)) ?? [];
  const sentence = text.slice(from, start);
  const [opening = "", verb = ""] = opener.exec(sentence) ?? [];
  if (describes.test(sentence.slice(opening.length)) || asksQuestion.test(sentence) || /["“`]/.test(sentence + rest))
    return undefined;
  const [, next = ""] = /^,?\s*(?:please\s+)?(\p{L}+)/u.exec(rest) ?? [];
  const isLead = opensRequest.test(before) && isVerb(next.toLowerCase());
  // "Text G-4 at 6 pm that dinner is ready": the text follows.
  const isBetween = beforeText.test(rest) && tells(verb.toLowerCase());
  if (isBetween) return { end, delays: { from, to: end + rest.length } };
  const isTail = endsRequest.test(text.slice(end)) && /\p{L}\s+\S/u.test(sentence);
  if (!isLead) return isTail ? { end, delays: { from, to: start } } : undefined;
  const [comma] = /^(?:\s*,)?/.exec(rest)!;
  return { end: end + comma.length, delays: { from, to: end + rest.length } };
}

/** A day without a time of day begins at midnight; a time of day without a day comes next. */
function momentOf({ from, to, time, beside, zone, swapped }: DateSpan, clock: Clock): string | undefined {
  // Which day "2/12/2026" is has to be asked.
  if (swapped !== undefined) return undefined;
  const said = to ?? from ?? beside?.day;
  const { today, time: now } = clock;
  const isOver = time !== undefined && time.hour * 60 + time.minute <= now.hour * 60 + now.minute;
  const day = said ?? (time === undefined ? undefined : isOver ? addDays(today, 1) : today);
  if (day === undefined || formatDay(day) < formatDay(today)) return undefined;
  return instantOf(day, time ?? { hour: 0, minute: 0, second: 0 }, zone ?? clock.timeZone).toISOString();
}
