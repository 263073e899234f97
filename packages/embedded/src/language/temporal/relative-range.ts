import { addDays, addMonths, type CivilDay, firstOfMonth, lastOfMonth, weekday } from "./calendar.ts";

/** Both ends included. */
export interface DayRange {
  readonly from: CivilDay;
  readonly to: CivilDay;
}

const numbers = new Map<string, number>(
  "a:1 an:1 one:1 two:2 couple:2 three:3 few:3 four:4 five:5 six:6 seven:7 eight:8 nine:9 ten:10 eleven:11 twelve:12 fourteen:14 fifteen:15 twenty:20 thirty:30 sixty:60 ninety:90"
    .split(" ")
    .map((pair) => [pair.slice(0, pair.indexOf(":")), Number(pair.slice(pair.indexOf(":") + 1))]),
);
/** A number of days, weeks and so on, as a figure or in words; without groups. */
export const countPattern = `(?:\\d{1,4}|(?:a )?couple(?: of)?|(?:a )?few|${[...numbers.keys()].join("|")})`;
const unit = "(?:hours?|days?|weeks?|weekends?|fortnights?|months?|quarters?|years?)";

/** Finds the phrases that `relativeRange` reads, anywhere in a text (use with the flags `gi`). */
export const relativePattern = [
  "(?:the )?day (?:before yesterday|after tomorrow)",
  "today|tonight|yesterday|tomorrow",
  "this (?:morning|afternoon|evening)",
  `(?:the )?(?:this|current|last|past|previous|prior|preceding|next|coming|upcoming|following) (?:${countPattern} )?${unit}`,
  `${countPattern} (?:days?|weeks?|weekends?|fortnights?|months?|quarters?|years?) (?:ago|from now)`,
  `in ${countPattern} (?:days?|weeks?|fortnights?|months?|years?)`,
  `(?<=\\bwithin )(?:the next )?${countPattern} (?:days?|weeks?|fortnights?|months?|years?)(?! of)`,
  "(?:week|month|quarter|year)[- ]to[- ]date",
  "Q[1-4](?: (?:of )?\\d{4})?",
].join("|");

/** The number that a count word or figure says. */
export function readCount(word: string): number | undefined {
  const clean = word
    .toLowerCase()
    .replace(/^a (?=couple|few)/, "")
    .replace(/ of$/, "");
  return /^\d{1,9}$/.test(clean) ? Number(clean) : numbers.get(clean);
}

/**
 * Reads a relative phrase, any case. "last week" is 7 days ago to today, "this week" Monday to today of what is past and else Monday to Sunday, "this month" its
 * first to today, "last month" the whole month before, "last 30 days" 30 days ago to today, "next week" Monday to
 * Sunday. Undefined for what it does not know.
 */
export function relativeRange(phrase: string, today: CivilDay, isPast = true): DayRange | undefined {
  const words = phrase
    .toLowerCase()
    .replace(/[’']s$/, "")
    .replace(/-/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .replace(/^the /, "");
  const fixed = fixedDays.get(words);
  if (fixed !== undefined) return day(addDays(today, fixed));
  if (/^this (?:morning|afternoon|evening)$/.test(words)) return day(today);

  const toDate = /^(week|month|quarter|year) to date$/.exec(words);
  if (toDate !== null) return { from: startOf(toDate[1] ?? "", today), to: today };
  const ago = new RegExp(`^(${countPattern}) (${unit}) (ago|from now)$`).exec(words) ?? undefined;
  if (ago !== undefined) return single(ago[1], ago[2], ago[3] === "ago" ? -1 : 1, today);
  const ahead = new RegExp(`^in (${countPattern}) (${unit})$`).exec(words);
  if (ahead !== null) return single(ahead[1], ahead[2], 1, today);
  const within = new RegExp(`^(?:the next )?(${countPattern}) (${unit})$`).exec(words);
  if (within !== null) return moved(readCount(within[1]!) ?? 0, within[2]!.replace(/s$/, ""), 1, today);
  const quarter = /^q([1-4])(?: (?:of )?(\d{4}))?$/.exec(words);
  if (quarter !== null) {
    const year = quarter[2] === undefined ? today.year : Number(quarter[2]);
    return wholePeriod({ year, month: Number(quarter[1]) * 3 - 2, day: 1 }, 3);
  }

  const general = new RegExp(`^(\\w+) (?:(${countPattern}) )?(${unit})$`).exec(words);
  const which = general?.[1] ?? "";
  const name = (general?.[3] ?? "").replace(/s$/, "");
  const amount = general?.[2] === undefined ? undefined : readCount(general[2]);
  if (current.has(which) && name === "week" && amount === undefined && !isPast) {
    const first = monday(today);
    return { from: first, to: addDays(first, 6) };
  }
  if (current.has(which)) return amount === undefined ? thisPeriod(name, today) : moved(amount, name, -1, today);
  if (backward.has(which)) {
    if (amount !== undefined) return moved(amount, name, -1, today);
    return which === "past" ? moved(1, name, -1, today) : lastPeriod(name, which, today);
  }
  if (forward.has(which)) {
    if (amount !== undefined) return moved(amount, name, 1, today);
    return which === "next" || which === "following" ? nextPeriod(name, today) : moved(1, name, 1, today);
  }
  return undefined;
}

const fixedDays = new Map([
  ["today", 0],
  ["tonight", 0],
  ["yesterday", -1],
  ["tomorrow", 1],
  ["day before yesterday", -2],
  ["day after tomorrow", 2],
]);
const current = new Set(["this", "current"]);
const backward = new Set(["last", "past", "previous", "prior", "preceding"]);
const forward = new Set(["next", "coming", "upcoming", "following"]);

const day = (at: CivilDay): DayRange => ({ from: at, to: at });
const monday = (at: CivilDay) => addDays(at, -weekday(at));

function wholePeriod(first: CivilDay, months: number): DayRange {
  return { from: first, to: lastOfMonth(addMonths(first, months - 1)) };
}

function startOf(name: string, today: CivilDay): CivilDay {
  if (name === "week") return monday(today);
  if (name === "month") return firstOfMonth(today);
  if (name === "quarter") return { ...today, month: today.month - ((today.month - 1) % 3), day: 1 };
  return { year: today.year, month: 1, day: 1 };
}

function thisPeriod(name: string, today: CivilDay): DayRange | undefined {
  if (name === "day" || name === "hour") return day(today);
  if (name === "weekend") return { from: addDays(monday(today), 5), to: addDays(monday(today), 6) };
  return name === "fortnight" ? undefined : { from: startOf(name, today), to: today };
}

function lastPeriod(name: string, which: string, today: CivilDay): DayRange | undefined {
  const start = startOf(name, today);
  if (name === "day") return day(addDays(today, -1));
  if (name === "week" && which === "last") return moved(1, name, -1, today);
  if (name === "week") return { from: addDays(start, -7), to: addDays(start, -1) };
  if (name === "weekend") return { from: addDays(monday(today), -2), to: addDays(monday(today), -1) };
  if (name === "month") return wholePeriod(addMonths(start, -1), 1);
  if (name === "quarter") return wholePeriod(addMonths(start, -3), 3);
  return name === "year" ? wholePeriod(addMonths(start, -12), 12) : moved(1, name, -1, today);
}

function nextPeriod(name: string, today: CivilDay): DayRange | undefined {
  const start = startOf(name, today);
  if (name === "day") return day(addDays(today, 1));
  if (name === "week") return { from: addDays(start, 7), to: addDays(start, 13) };
  if (name === "weekend") return { from: addDays(monday(today), 12), to: addDays(monday(today), 13) };
  if (name === "month") return wholePeriod(addMonths(start, 1), 1);
  if (name === "quarter") return wholePeriod(addMonths(start, 3), 3);
  return name === "year" ? wholePeriod(addMonths(start, 12), 12) : moved(1, name, 1, today);
}

/** The time of `amount` units that begins or ends today. */
function moved(amount: number, name: string, direction: 1 | -1, today: CivilDay): DayRange | undefined {
  const other = shifted(amount * direction, name, today);
  if (other === undefined) return undefined;
  return direction < 0 ? { from: other, to: today } : { from: today, to: other };
}

function single(amount: string | undefined, name: string | undefined, direction: 1 | -1, today: CivilDay) {
  const read = readCount(amount ?? "");
  const at = read === undefined ? undefined : shifted(read * direction, (name ?? "").replace(/s$/, ""), today);
  return at === undefined ? undefined : day(at);
}

function shifted(amount: number, name: string, from: CivilDay): CivilDay | undefined {
  if (name === "hour") return addDays(from, Math.sign(amount) * Math.ceil(Math.abs(amount) / 24));
  if (name === "day") return addDays(from, amount);
  if (name === "week" || name === "weekend") return addDays(from, amount * 7);
  if (name === "fortnight") return addDays(from, amount * 14);
  if (name === "month") return addMonths(from, amount);
  if (name === "quarter") return addMonths(from, amount * 3);
  return name === "year" ? addMonths(from, amount * 12) : undefined;
}
