import { isVerb } from "../text/actions.ts";
import type { CivilDay, CivilTime } from "./calendar.ts";
import { opensRequest } from "./recurrence.ts";
import { countPattern, readCount } from "./relative-range.ts";

/** A span of text that names days, times of day, or both. */
interface Timed {
  readonly start: number;
  readonly end: number;
  readonly from?: CivilDay;
  readonly to?: CivilDay;
  readonly time?: CivilTime;
  readonly endTime?: CivilTime;
  readonly text: string;
}

const clock = "(\\d{1,2})(?::(\\d{2}))?(?: ?([ap])\\.?m\\b\\.?)?|(noon|midnight)";
const times = `(?:${clock})(?:\\s*(?:to|until|till|and|-|–)\\s*(?:${clock}))?`;
/** After a day: ", 14:00-15:30", "at 8", "from 9:00 to 9:30". */
const after = new RegExp(`^,?\\s*(?:(at|@)\\s*|(?:from|between)\\s+)?${times}(?![\\w:])`, "i");
/** Before a day: "at 3 pm", "22:00 to 23:30 on". */
const before = new RegExp(`(?<![\\w.:/-])(?:(?:at|from|between)\\s+)?${times}(?:,|\\s+on)?\\s+(?:the\\s+)?$`, "i");
const zoned = /^\s*\(?[A-Z]{2,5}(?:[+-]\d{1,2})?\b/;
/** What may follow a full hour without minutes: "at 8 to call". */
const ends = /^\s*(?:$|[.,;!?)]|(?:to|and|for|in|with|about|until|till|that|by|on|from)\b)/i;

/**
 * Gives each day the times of day right beside it: "tomorrow from 9:00 to 9:30" is one span, "at 3 pm on Friday" too. A number is a time
 * where it has minutes or a half of the day, or follows "at" behind the day. Linear in the spans.
 */
export function withTimesBeside<Span extends Timed>(spans: readonly Span[], text: string): Span[] {
  const days = spans.filter(({ from }) => from !== undefined);
  const grown = spans.map((span) => {
    if (span.from === undefined || span.time !== undefined) return span;
    const at = days.indexOf(span);
    return grownBy(span, text, days[at - 1]?.end ?? 0, days[at + 1]?.start ?? text.length);
  });
  return grown.filter(
    (span) =>
      span.from !== undefined ||
      !grown.some((other) => other.from !== undefined && other.start < span.end && span.start < other.end),
  );
}

/** "at noon for one hour": when it ends; the words stay for an argument that says how long it lasts. */
export function endAfter(time: CivilTime, rest: string): CivilTime | undefined {
  const [, count, unit] = lasting.exec(rest) ?? [];
  const amount = count === undefined ? undefined : /^half/i.test(count) ? 0.5 : readCount(count);
  if (amount === undefined) return undefined;
  const minutes = time.hour * 60 + time.minute + amount * (/^h/i.test(unit!) ? 60 : 1);
  return minutes >= 1440 ? undefined : { hour: Math.floor(minutes / 60), minute: Math.round(minutes % 60), second: 0 };
}
const lasting = new RegExp(`^ for (half an|${countPattern}) (h(?:ou)?rs?|min(?:ute)?s?)\\b`, "i");

function grownBy<Span extends Timed>(span: Span, text: string, first: number, last: number): Span {
  const isLate = /afternoon|evening|tonight/i.test(span.text);
  const next = after.exec(text.slice(span.end, Math.min(last, span.end + 40)));
  if (next !== null) {
    const end = span.end + next[0].length;
    // "tomorrow from 9 to 11": two hours behind a day are times of day.
    const isRange = /^,?\s*(?:from|between)\s/i.test(next[0]) && next[6] !== undefined;
    const mayBeBare =
      (next[1] !== undefined || isRange) && (ends.test(text.slice(end, end + 12)) || leads(span.start, end, text));
    const found = readTimes(next.slice(2), mayBeBare, isLate);
    // "6 am EST" is read as a whole, with its zone.
    if (found !== undefined && zoned.test(text.slice(end, end + 12))) return span;
    if (found !== undefined) return { ...span, ...found, end, text: text.slice(span.start, end) };
  }
  const from = Math.max(first, span.start - 40);
  const said = before.exec(text.slice(from, span.start));
  const found = said === null ? undefined : readTimes(said.slice(1), false, isLate);
  if (said === null || found === undefined) return span;
  const start = from + said.index;
  return { ...span, ...found, start, text: text.slice(start, span.end) };
}

/** "Tomorrow at 8 close A-7": the words open a request, and its verb is next. */
function leads(start: number, end: number, text: string): boolean {
  const [, word = ""] = /^\s+(?:please\s+)?(\p{L}+)/u.exec(text.slice(end, end + 40)) ?? [];
  return isVerb(word.toLowerCase()) && opensRequest.test(text.slice(0, start));
}

/** From the groups of `times`: hour, minute, half, word of the first and of the second. */
function readTimes(
  groups: readonly (string | undefined)[],
  mayBeBare: boolean,
  isLate: boolean,
): { readonly time: CivilTime; readonly endTime?: CivilTime } | undefined {
  const [first, second] = [groups.slice(0, 4), groups.slice(4, 8)];
  const isSure = ([, minute, half, word]: typeof first) =>
    minute !== undefined || half !== undefined || word !== undefined;
  if (!isSure(first) && !isSure(second) && !mayBeBare) return undefined;
  // "3 to 4 pm": the half is said once.
  const late = isLate && Number(first[0]) < 12 ? "p" : undefined;
  const time = timeOf(first, (first[1] === undefined && first[3] === undefined ? second[2] : undefined) ?? late);
  const hasSecond = second.some((each) => each !== undefined);
  const endTime = hasSecond ? timeOf(second, undefined) : undefined;
  if (time === undefined || (hasSecond && endTime === undefined)) return undefined;
  return { time, ...(endTime && { endTime }) };
}

function timeOf([hour, minute, half, word]: readonly (string | undefined)[], shared: string | undefined) {
  if (word !== undefined) return { hour: word.toLowerCase() === "noon" ? 12 : 0, minute: 0, second: 0 };
  const own = (half ?? shared)?.toLowerCase();
  const said = Number(hour);
  if (hour === undefined || said > (own === undefined ? 24 : 12) || Number(minute ?? 0) > 59) return undefined;
  return {
    hour: own === undefined ? said % 24 : (said % 12) + (own === "p" ? 12 : 0),
    minute: Number(minute ?? 0),
    second: 0,
  };
}
