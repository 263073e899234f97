import { readCount } from "./relative-range.ts";

/** Words that say that something is to happen again and again, with their offsets in the text. */
export interface Recurrence {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** The times as a cron pattern of five fields, where it can say them. A time of day that is not said is 9:00, in the morning 8:00, in the evening 18:00, at night 0:00. */
  readonly cron?: string;
}

const weekdays = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"];
const dayNames = `(?:${weekdays.join("|")})`;
const unit = `(?:minutes?|mins?|hours?|days?|weekdays?|workdays?|weekends?|mornings?|afternoons?|evenings?|nights?|weeks?|months?|quarters?|years?|${dayNames}s?)`;
const count = "(?:other|second|\\d{1,3}|two|three|four|five|six|ten|twelve|fifteen|twenty|thirty)";
const clock = "(?:\\d{1,2}(?::\\d{2})?(?:\\s?[ap]\\.?m\\.?)?(?![\\w:])|noon|midnight)";
const times = `(?:every|each)\\s+(?:(${count})\\s+)?(${unit})(?:(?:,|\\s+and|,\\s+and)\\s+(?:every\\s+)?${dayNames}s?)*`;
const adverbs = "(hourly|daily|nightly|weekly|monthly|quarterly|yearly|annually)";
const said = new RegExp(
  `(?:\\bat\\s+(${clock})\\s+)?\\b(?:${times}|${adverbs})(?:\\s+on\\s+(${dayNames})s?)?(?:,?\\s+(?:at|@)\\s+(${clock}))?(?![\\w-])`,
  "gi",
);

/** Before such words: nothing, the end of a sentence, or what leads into a request. */
export const opensRequest = /(?:^|[.!?;\n]\s*|\b(?:then|and|please)\s+|,\s*)$/i;
const closes = /^\s*(?:$|[.!?;\n]|until\b)/i;
/** What is said of things or by a text, and not of when something is to be done. */
export const describes =
  /\b(?:that|which|who|whose|what|when|how|saying|says|titled|called|named|body|message|subject|text|note)\b|:/i;
const narrows = /\b(?:for|of|in|per|on|from|since|during|between|by|than|to|with)\s+$/i;
export const asksQuestion = /^\s*(?:what|which|who|whose|when|where|why|how|is|are|was|were|do|does|did|has|have)\b/i;

/**
 * "every Monday at 8, …", "… every 10 minutes", "daily at 6 pm …": when a request is to be carried out again and again. It opens a request or ends it; "the orders of every day" and
 * what is quoted say no such thing. Linear in the text.
 */
export function findRecurrence(text: string): Recurrence | undefined {
  const plain = text.replaceAll(/"[^"\n]*"|“[^”\n]*”|`[^`\n]*`/g, (quoted) => "_".repeat(quoted.length));
  for (const match of plain.matchAll(said)) {
    const end = match.index + match[0].length;
    const before = plain.slice(0, match.index);
    const sentence = before.slice(
      Math.max(...[". ", "! ", "? ", "; ", "\n"].map((mark) => before.lastIndexOf(mark))) + 1,
    );
    const isLead = opensRequest.test(before) && !closes.test(plain.slice(end));
    const isTail = closes.test(plain.slice(end)) && /\S\s+\S/.test(sentence) && !asksQuestion.test(sentence);
    // "daily report": an adjective.
    const isAdverb = match[3] === undefined && match[4] !== undefined;
    if (isAdverb && isLead && !/^\s*,/.test(plain.slice(end)) && match[6] === undefined) continue;
    if ((!isLead && !isTail) || narrows.test(before) || describes.test(sentence)) continue;
    const cron = cronOf(match);
    return { start: match.index, end, text: text.slice(match.index, end), ...(cron !== undefined && { cron }) };
  }
  return undefined;
}

function cronOf([whole, early, amount, name, adverb, , late]: RegExpExecArray): string | undefined {
  const word = (name ?? unitOfAdverb[adverb?.toLowerCase() ?? ""] ?? "").toLowerCase().replace(/s$/, "");
  const days = [...new Set(whole.toLowerCase().match(new RegExp(dayNames, "g")) ?? [])].map((day) =>
    weekdays.indexOf(day),
  );
  const number = amount === undefined ? 1 : /^(?:other|second)$/i.test(amount) ? 2 : (readCount(amount) ?? 0);
  if (/^min/.test(word)) return number >= 1 && 60 % number === 0 ? `*/${number} * * * *` : undefined;
  if (word === "hour") return number >= 1 && 24 % number === 0 ? `0 */${number} * * *` : undefined;
  if (number !== 1) return undefined;
  const at = timeOf(late ?? early, word);
  if (at === undefined) return undefined;
  const time = `${at.minute} ${at.hour}`;
  if (days.length > 0 && /^(?:month|quarter|year)$/.test(word)) return undefined;
  if (days.length > 0) return `${time} * * ${days.sort((left, right) => left - right).join(",")}`;
  const rest = restOfCron[word];
  return rest === undefined ? undefined : `${time} ${rest}`;
}

const restOfCron: Readonly<Record<string, string>> = {
  ...Object.fromEntries(["day", "morning", "afternoon", "evening", "night"].map((word) => [word, "* * *"])),
  weekday: "* * 1-5",
  workday: "* * 1-5",
  weekend: "* * 0,6",
  week: "* * 1",
  month: "1 * *",
  quarter: "1 */3 *",
  year: "1 1 *",
};
const unitOfAdverb: Readonly<Record<string, string>> = {
  hourly: "hour",
  daily: "day",
  nightly: "night",
  weekly: "week",
  monthly: "month",
  quarterly: "quarter",
  yearly: "year",
  annually: "year",
};
const usualHours: Readonly<Record<string, number>> = { morning: 8, afternoon: 14, evening: 18, night: 0 };

function timeOf(
  said: string | undefined,
  word: string,
): { readonly hour: number; readonly minute: number } | undefined {
  if (said === undefined) return { hour: usualHours[word] ?? 9, minute: 0 };
  if (/noon/i.test(said)) return { hour: 12, minute: 0 };
  if (/midnight/i.test(said)) return { hour: 0, minute: 0 };
  const [, hours, minutes = "0", half] = /^(\d{1,2})(?::(\d{2}))?\s?(?:([ap])\.?m\.?)?$/i.exec(said) ?? [];
  const hour = Number(hours);
  if (hours === undefined || hour > (half === undefined ? 23 : 12) || Number(minutes) > 59) return undefined;
  const isLate =
    half === undefined ? /^(?:evening|night|afternoon)$/.test(word) && hour >= 5 && hour < 12 : /p/i.test(half);
  return {
    hour: half === undefined ? hour + (isLate ? 12 : 0) : (hour % 12) + (isLate ? 12 : 0),
    minute: Number(minutes),
  };
}
