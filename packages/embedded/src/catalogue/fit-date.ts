import {
  addDays,
  type CivilDay,
  type CivilTime,
  type Clock,
  formatDay,
  instantOf,
} from "../language/temporal/calendar.ts";
import type { DateSpan } from "../language/temporal/find-dates.ts";
import { readCount } from "../language/temporal/relative-range.ts";
import { isParticiple } from "../language/text/participle.ts";
import { stem } from "../language/text/stem.ts";
import { aboutAffinity, nameAffinity } from "./affinity.ts";
import { isBound, type Parameter } from "./parameter.ts";

/** A date that a goal says, with what is around it. */
export interface DateMention {
  readonly date?: DateSpan;
  /** Stems of the words around it. */
  readonly near: ReadonlySet<string>;
}

/** What a date is written by, beside the parameter. */
export interface DateContext {
  readonly clock: Clock;
  /** All parameters of the same resource. */
  readonly parameters: readonly Parameter[];
}

/** The value that a date gives a parameter. */
export interface DateFit {
  /** The higher, the better; comparable with the scores of other evidence. */
  readonly score: number;
  readonly value: unknown;
}

/** What speaks for a date by what it is taken as, before the words around it count. A whole day says most. */
const dateScores = { day: 5, length: 4.5, year: 4, timeOfDay: 4 } as const;

/**
 * A day for a day, the first of a range for its beginning and the last for its end. One day fills both ends of a range
 * when a resource reads ("today" is from today to today); a resource that changes something gets each day once.
 */
export function fitDate(parameter: Parameter, mention: DateMention, context: DateContext): DateFit | undefined {
  const date = mention.date && inOrderOf(parameter, mention.date);
  if (date === undefined || parameter.choices.length > 0) return undefined;
  if (isDueOnly(parameter, mention)) return undefined;
  const affinity = 2 * nameAffinity(parameter, mention.near) + aboutAffinity(parameter, mention.near);
  if (isYear(parameter)) {
    const isOne = parameter.words.at(-1) === "year";
    const year = isOne ? yearOf(date, context.clock) : writtenYear(date);
    return year === undefined ? undefined : { score: dateScores.year + affinity, value: year };
  }
  const month = isMonth(parameter) ? monthOf(date) : undefined;
  if (month !== undefined) return { score: dateScores.year + affinity, value: month };
  const length = lengthOf(parameter, date.text);
  if (length !== undefined) return { score: dateScores.length + affinity, value: length };
  if (!(parameter.types.size === 0 || parameter.types.has("string"))) return undefined;
  if (date.from === undefined && date.to === undefined) {
    if (parameter.format === "date-time" && date.time !== undefined) {
      const day = date.beside?.day ?? nextDayAt(date.time, context.clock);
      const isEnd = parameter.side === "end" && date.endTime !== undefined;
      return {
        score: dateScores.day + affinity,
        value: write(day, isEnd ? { ...date, ...ending(date) } : date, parameter, context, "start"),
      };
    }
    return fitTime(parameter, date, context.clock, affinity);
  }
  // "on Saturday at 19:00" for a `date` and a `time`
  if (!parameter.holdsDay)
    return context.parameters.some(holdsPlainDay) ? fitTime(parameter, date, context.clock, affinity) : undefined;
  const side =
    parameter.side ?? (isPaired(parameter, context) && !isNamedNear(parameter, mention) ? undefined : "only");
  const value = valueFor(side, date, parameter, context);
  return value === undefined ? undefined : { score: dateScores.day + affinity, value };
}

/** A time of day; of "from 9:00 to 17:00" the last one for the end. */
function fitTime(parameter: Parameter, date: DateSpan, clock: Clock, affinity: number): DateFit | undefined {
  const time = parameter.side === "end" && date.from !== undefined ? date.endTime : date.time;
  if (time === undefined || !isTimeOfDay(parameter)) return undefined;
  const day = date.from ?? date.beside?.day ?? nextDayAt(time, clock);
  const value = parameter.format === "time" ? fullTime(day, time, date.zone ?? clock.timeZone) : formatTime(time);
  return { score: dateScores.timeOfDay + affinity, value };
}

/** As JSON Schema wants the format "time": with its seconds and how far it is ahead of UTC. */
function fullTime(day: CivilDay, time: CivilTime, zone: string): string {
  const shown = `${formatTime(time)}:${String(time.second).padStart(2, "0")}`;
  return shown + offsetAt(instantOf(day, time, zone), `${formatDay(day)}T${shown}`);
}

/** What is first in a day, where a description says it: "DD/MM/YYYY". */
export function orderOf({ description }: Parameter): "day" | "month" | undefined {
  const [, first] = /\b(DD|MM)[-/.](?:MM|DD)[-/.]YY(?:YY)?\b/i.exec(description) ?? [];
  return first === undefined ? undefined : first.toUpperCase() === "DD" ? "day" : "month";
}

/** A day whose order nothing tells, in the order that the parameter asks for. */
function inOrderOf(parameter: Parameter, date: DateSpan): DateSpan {
  const { swapped, ...rest } = date;
  return swapped === undefined || orderOf(parameter) !== "day" ? date : { ...rest, ...swapped };
}

/** It takes a time of day, whatever the day. */
export const isTimeOfDay = ({ format, words }: Parameter): boolean =>
  format === "time" || words.some((word) => word === "time" || word === "hour");

const holdsPlainDay = ({ holdsDay, format }: Parameter) => holdsDay && format !== "date-time";

/** "due tomorrow" says nothing of when something was created or has begun. */
function isDueOnly({ stems, words }: Parameter, { near }: DateMention): boolean {
  return near.has(due) && !stems.includes(due) && words.some((lower) => isParticiple({ kind: "word", lower }));
}
const due = stem("due");

/** The day on which a clock shows a time next. */
function nextDayAt({ hour, minute }: CivilTime, { today, time }: Clock): CivilDay {
  return hour * 60 + minute > time.hour * 60 + time.minute ? today : addDays(today, 1);
}

/** "last 7 days" for a whole number of `days`. */
function lengthOf(parameter: Parameter, text: string): number | undefined {
  if (!parameter.types.has("integer") && !parameter.types.has("number")) return undefined;
  const [, count, unit] = /(\w+) (hour|day|week|month|quarter|year)s?\b/i.exec(text) ?? [];
  if (unit === undefined || !parameter.stems.includes(stem(unit))) return undefined;
  return readCount(count ?? "");
}

const isYear = (parameter: Parameter) => parameter.types.has("integer") && parameter.stems.includes(stem("year"));

const isMonth = ({ types, words }: Parameter) => types.has("integer") && words.at(-1) === "month";

const writtenYear = ({ text }: Pick<DateSpan, "text">) => (/^\d{4}$/.test(text) ? Number(text) : undefined);

/** "2024", "in March 2024", "last year": the calendar year in which all of it lies. */
function yearOf({ text, from, to }: DateSpan, { today }: Clock): number | undefined {
  const written = writtenYear({ text });
  if (written !== undefined) return written;
  const [, said] =
    /^(this|the current|last|the last|previous|the previous|next|the next)\s+year$/i.exec(text.trim()) ?? [];
  if (said !== undefined) return today.year + (/this|current/i.test(said) ? 0 : /next/i.test(said) ? 1 : -1);
  return from !== undefined && from.year === to?.year ? from.year : undefined;
}

/** "in March", "on 3 May": the month in which all of it lies, 1 to 12. */
const monthOf = ({ from, to }: DateSpan): number | undefined =>
  from !== undefined && from.year === to?.year && from.month === to.month ? from.month : undefined;

/** Both ends of a range have parameters of their own. */
function isPaired(parameter: Parameter, context: DateContext): boolean {
  const others = context.parameters.filter((other) => other !== parameter && other.holdsDay);
  return others.some(({ side }) => side === "start") && others.some(({ side }) => side === "end");
}

/** "due on Monday" for `due_date`: what it is called is said beside the day. */
const isNamedNear = ({ stems }: Parameter, { near }: DateMention) =>
  stems.some((each) => near.has(each) && each !== stem("date") && each !== stem("time"));

function valueFor(
  side: "start" | "end" | "only" | undefined,
  date: DateSpan,
  parameter: Parameter,
  context: DateContext,
) {
  const { from, to } = date;
  if (side === undefined) return undefined;
  if (side === "only") {
    const list = /range|period|interval|between/.test(`${parameter.name} ${parameter.description}`);
    if (list && from !== undefined && to !== undefined && formatDay(from) !== formatDay(to)) {
      return `${write(from, date, parameter, context, "start")} to ${write(to, ending(date), parameter, context, "end")}`;
    }
    const day = from ?? to;
    return day === undefined ? undefined : write(day, date, parameter, context, "start");
  }
  if (side === "start") {
    if (from === undefined) return undefined;
    const isNext = date.exclusive === true && date.time === undefined && !isBeyond(parameter, "after");
    const day = isNext ? addDays(from, 1) : from;
    return write(day, date, parameter, context, "start");
  }
  if (to === undefined) return undefined;
  // "at 3 pm" says nothing of an end.
  if (date.time !== undefined && date.endTime === undefined && from !== undefined && writesTime(parameter))
    return undefined;
  const isLast = date.exclusive === true && date.time === undefined && !isBeyond(parameter, "before");
  // "this week" for `expires_before`, which leaves its own day out; of a pair of bounds both are meant as the days that are said.
  const isAlone = !context.parameters.some((other) => other.holdsDay && other.side === "start");
  const isNext = isAlone && date.exclusive !== true && isBeyond(parameter, "before") && !writesTime(parameter);
  const day = isLast ? addDays(to, -1) : isNext ? addDays(to, 1) : to;
  return write(day, { ...date, ...ending(date) }, parameter, context, "end");
}

/** A parameter named "after" or "before" leaves that day out, unless its description says "on or after". */
const isBeyond = ({ words, description }: Parameter, word: "after" | "before") =>
  words.includes(word) && !new RegExp(`\\b(?:on|at|from) (?:or|and) ${word}\\b|\\binclusive`, "i").test(description);

type Moment = Pick<DateSpan, "time" | "zone">;

/** The end of a range of times, in its zone. */
const ending = ({ endTime, zone }: DateSpan): Moment => ({
  ...(endTime && { time: endTime }),
  ...(zone !== undefined && { zone }),
});

/** In the form the parameter asks for: `date-time` in UTC, an explicit pattern of its description, else an ISO day. */
function write(
  day: CivilDay,
  { time, zone }: Moment,
  parameter: Parameter,
  context: DateContext,
  side: "start" | "end",
): string {
  if (parameter.format === "date-time") {
    const fallback = side === "start" ? { hour: 0, minute: 0, second: 0 } : { hour: 23, minute: 59, second: 59 };
    // What a local clock shows is written as if it were UTC, since the form has no other way to say it.
    if (parameter.words.includes("local")) return `${formatDay(day)}T${formatTime(time ?? fallback)}:00Z`;
    return instantOf(day, time ?? fallback, zone ?? context.clock.timeZone)
      .toISOString()
      .replace(".000Z", "Z");
  }
  if (
    parameter.format === "" &&
    (time !== undefined
      ? writesTime(parameter)
      : isTimeBound(parameter.words, parameter.format) ||
        (mustHaveTime.test(parameter.description) && !showsDay.test(parameter.description)))
  ) {
    const shown = time ?? (side === "start" ? { hour: 0, minute: 0, second: 0 } : { hour: 23, minute: 59, second: 59 });
    const instant = instantOf(day, shown, zone ?? context.clock.timeZone);
    if (inUtc.test(parameter.description)) return instant.toISOString().replace(".000Z", "Z");
    const local = `${formatDay(day)}T${formatTime(shown)}:${String(shown.second).padStart(2, "0")}`;
    return withOffset.test(parameter.description) ? `${local}${offsetAt(instant, local)}` : local;
  }
  const [, pattern] = /\b((?:YYYY|DD|MM)[-/.](?:MM|DD)[-/.](?:YYYY|DD|MM))\b/i.exec(parameter.description) ?? [];
  const [year = "", month = "", date = ""] = formatDay(day).split("-");
  const written = (pattern ?? "YYYY-MM-DD")
    .toUpperCase()
    .replace("YYYY", year)
    .replace("MM", month)
    .replace("DD", date);
  const wantsTime =
    time !== undefined && /datetime|timestamp|date and time|hh:mm/i.test(`${parameter.name} ${parameter.description}`);
  return wantsTime ? `${written} ${formatTime(time)}` : written;
}

/** A description that asks for a moment as ISO 8601 writes it. */
const isoMoment = /\b(?:iso[ -]?8601|rfc[ -]?3339|iso (?:format|string|timestamp)|date-?time|timestamp)\b/i;
/** Its schema or its description says how a day is written: no words are one. */
export const isWrittenDay = ({ holdsDay, format, description }: Parameter): boolean =>
  holdsDay &&
  (format.startsWith("date") || isoMoment.test(description) || /\byyyy-mm-dd\b/i.test(description)) &&
  !/\bnatural language|\bhuman[- ]readable|\bfree[- ]?form/i.test(description);
const mustHaveTime = /\brfc[ -]?3339\b|\dT\d\d:\d\d|\biso (?:8601 )?(?:date-?time|timestamp)\b/i;
/** A day alone among the examples. */
const showsDay = /\b\d{4}-\d\d-\d\d(?![T\d])(?! ?\d\d:)/;
const inUtc = /\butc\b/i;
const withOffset = /\brfc[ -]?3339\b|:\d\dZ\b|:\d\d[+-]\d\d:\d\d\b|\boffset\b/i;

/** How far a local time is ahead of UTC, as "+01:00" or "Z". */
function offsetAt(instant: Date, local: string): string {
  const minutes = Math.round((Date.parse(`${local}Z`) - instant.getTime()) / 60_000);
  if (minutes === 0) return "Z";
  const two = (value: number) => String(Math.floor(value)).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${two(Math.abs(minutes) / 60)}:${two(Math.abs(minutes) % 60)}`;
}

/** `timeMin`, `time_to`: an end of a range of moments. */
const isTimeBound = (words: readonly string[], format: string) =>
  format === "" && words.length === 2 && words[0] === "time" && isBound.test(words[1] ?? "");

const withHours = /\bhh:mm\b/i;

/** The form or the name asks for a moment rather than for a day. */
const writesTime = ({ format, name, description, words }: Parameter) =>
  format === "date-time" ||
  isTimeBound(words, format) ||
  (format === "" &&
    !withHours.test(`${name} ${description}`) &&
    !/\byyyy-mm-dd\b(?!T)/i.test(description) &&
    (isoMoment.test(description) || /^(?:time|at|start|end|since|until)$/.test(words.at(-1) ?? "")));

function formatTime(time: CivilTime): string {
  return `${String(time.hour).padStart(2, "0")}:${String(time.minute).padStart(2, "0")}`;
}
