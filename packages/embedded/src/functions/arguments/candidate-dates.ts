import { fitDate, isWrittenDay } from "../../catalogue/fit-date.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Draft } from "../../draft/draft.ts";
import type { Span } from "../../language/clauses/spans.ts";
import { formatDay } from "../../language/temporal/calendar.ts";
import type { DateSpan } from "../../language/temporal/find-dates.ts";
import { isNamed } from "../../language/text/locale-names.ts";
import { splitName } from "../../language/text/split-name.ts";
import type { Token } from "../../language/text/token.ts";
import type { Call } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import { holdsZone } from "./candidate-zones.ts";
import { explicitLogOdds } from "./explicit-cues.ts";
import { proximityOf } from "./features.ts";
import type { FunctionPlanning } from "./function-planning.ts";
import { isNumeric, isSwitch, isTextual, type ParameterReading } from "./parameter-reading.ts";

/** Dates in the form that a parameter wants, as a number, or as they are written. */
export function fromDates(
  { spans, draft, tokens }: Call,
  readings: readonly ParameterReading[],
  planning: FunctionPlanning,
): Candidate[] {
  const aims = draft.profile.effect === "changes" && draft.profile.actions.has("update") ? spans.filter(isAimedAt) : [];
  const isOnly = spans.filter(({ kind }) => kind === "date").length === 1;
  const called = isOnly ? readings.filter(({ parameter }) => parameter.holdsDay && isCalled(parameter, tokens)) : [];
  const timed = spans.some((span) => span.kind === "date" && planning.dates[span.value as number]?.time !== undefined);
  return spans.flatMap((span) => {
    const date = span.kind === "date" ? planning.dates[span.value as number] : undefined;
    if (date === undefined) return [];
    // "Move tomorrow's visits to Monday": which ones, and where to.
    const aimed = aims.length === 1 ? (span === aims[0] ? explicitLogOdds : -explicitLogOdds) : 0;
    // "the last 30 days" for `days`, beside `start` and `end`
    const lasting = readings.filter(
      ({ parameter }) =>
        isNumeric(parameter) &&
        dayFor(parameter, span, draft, planning) !== undefined &&
        !/year|(?:^|_)month$/.test(parameter.name),
    );
    return readings.flatMap((reading): Candidate[] => {
      const { parameter } = reading;
      const isBeside = isBesideDay(parameter, draft.profile.parameters);
      const isMeant = called.length === 1 && parameter.holdsDay ? (called[0] === reading ? 1 : -1) : 0;
      if (parameter.choices.length > 0 || isSwitch(parameter) || holdsZone(parameter)) return [];
      const near = proximityOf(parameter, span, []);
      const oneDay = date.from !== undefined && date.to !== undefined && formatDay(date.from) === formatDay(date.to);
      // "until Friday" says nothing of when it begins, where both can be said.
      const isOther = isOtherEnd(date, span, parameter) && readings.some((each) => each.parameter.side === "end");
      const fit = isOther || isBeside ? undefined : dayFor(parameter, span, draft, planning);
      // One day is when something is due rather than when it begins, where both can be said.
      // "on Friday at 6:00" for a day and a `start` of the format "time"
      const isClock = (parameter.format === "time" || isBeside) && date.time !== undefined;
      const isSide = oneDay && parameter.side !== undefined && near.left === 0 && !isClock;
      const unlike = isSide && readings.some((other) => other.parameter.holdsDay && other.parameter.side === undefined);
      const bare = !oneDay && /^\d{1,4}$/.test(date.text);
      const lacksTime =
        parameter.format === "date-time" && parameter.side === undefined && timed && date.time === undefined;
      // An instant wants a time of day: days alone give way where other words say one.
      const options = wordsAndDays(parameter, date, {
        fit: lacksTime ? undefined : fit,
        isOther,
        oneDay,
        isBare: bare,
      });
      // "25 May at 14:00" goes to `original_start_time` as a whole, and never its time alone.
      const isMoment = isWrittenDay(parameter) && date.from !== undefined;
      const clocks =
        isTextual(parameter) && asksHours(parameter) && !isMoment && (!isClock || isBeside)
          ? clocksIn(date.text).map(clockFor(parameter))
          : [];
      const day = fit === undefined || parameter.format !== "date-time" ? undefined : date.beside?.at;
      const beside = day === undefined ? [] : spans.filter((other) => other.kind === "date" && other.value === day);
      const rank = readings.filter((other) => asksHours(other.parameter)).indexOf(reading);
      clocks.forEach((value, at) => {
        if (at === rank % clocks.length) options.push({ value, form: "clock", facet: `clock ${at}` });
      });
      return options.map(
        ({
          value,
          form,
          facet = isClock ? `clock ${Number(parameter.side === "end")}` : facetOf(parameter, oneDay),
        }) => ({
          group: "date",
          reading,
          outright:
            aimed +
            2 * isMeant * explicitLogOdds +
            oddsOfForm(form, reading, { readings, lasting, isUnlike: unlike, isClock }),
          features: featuresOf(form, parameter, date, { near, isBare: bare }),
          parts: [span, ...(form === "fit" ? beside : [])].map(({ from, to }) => [from, to]),
          spans: [span, ...(form === "fit" ? beside : [])],
          facet,
          value: parameter.takesList && !parameter.takesOne ? [value] : value,
          fits: form === "fit" && (parameter.holdsDay || parameter.format.startsWith("date")),
          said: date.text,
        }),
      );
    });
  });
}

/** The day, the number and the words of a date, as far as the parameter takes them. @param fit the day in the form of the parameter. @param isOther the date is the other end of a period */
function wordsAndDays(
  parameter: Parameter,
  { text }: DateSpan,
  said: {
    readonly fit: { readonly value: unknown } | undefined;
    readonly isOther: boolean;
    readonly oneDay: boolean;
    readonly isBare: boolean;
  },
): DateForm[] {
  const { fit, isOther, oneDay, isBare } = said;
  const names = isTextual(parameter) ? namesIn(text, parameter) : [];
  if (names.length > 0 && asksWeekday(parameter)) return names;
  const isWord = isTextual(parameter) && takesWords(parameter, oneDay);
  const takesText = !isOther && isWord && !(isWrittenDay(parameter) && /\p{L}{3}/u.test(text));
  return [
    ...(fit === undefined ? [] : [{ value: fit.value, form: "fit" }]),
    ...(isBare && isNumeric(parameter) ? [{ value: Number(text), form: "number" }] : []),
    ...(takesText ? [{ value: text.replace(leading, ""), form: "text" }] : []),
    ...names,
  ];
}

/** What is said outright of a form of a date as the value of a parameter, beside what all its forms have. */
function oddsOfForm(
  form: string,
  reading: ParameterReading,
  beside: {
    readonly readings: readonly ParameterReading[];
    /** Those that hold how long something lasts. */
    readonly lasting: readonly ParameterReading[];
    /** Another parameter holds a day, and no end of a period. */
    readonly isUnlike: boolean;
    readonly isClock: boolean;
  },
): number {
  const { readings, lasting, isUnlike, isClock } = beside;
  if (form === "text" && !isDated(reading.parameter) && readings.some((other) => isDated(other.parameter)))
    return -explicitLogOdds;
  if (lasting.length > 0 && form === "fit") return lasting.includes(reading) ? explicitLogOdds : -2 * explicitLogOdds;
  if (isUnlike) return -explicitLogOdds / 2;
  return isClock && form !== "text" ? explicitLogOdds : 0;
}

function featuresOf(
  form: string,
  parameter: Parameter,
  { from, to }: DateSpan,
  { near, isBare }: { readonly near: { readonly left: number; readonly right: number }; readonly isBare: boolean },
): Candidate["features"] {
  return [
    [`form ${form}`, 1],
    [`form ${form} day`, Number(parameter.holdsDay)],
    [`form ${form} dated`, Number(parameter.words.some((word) => dated.has(word)))],
    [`form ${form} described`, Number(splitName(parameter.description).some((word) => dated.has(word)))],
    [`form ${form} year`, Number(parameter.words.includes("year"))],
    [`bare ${form}`, Number(isBare)],
    ["required", Number(parameter.required)],
    ["near left", near.left],
    ["near right", near.right],
    ["side", Number(parameter.side !== undefined)],
    ["range", Number(from !== undefined && to !== undefined && from !== to)],
  ];
}

/** "Change the check-out of R-7 to Friday": the goal says the name of the argument, as one word or several. */
function isCalled({ words }: Parameter, tokens: readonly Token[]): boolean {
  const name = words.filter((word) => !dated.has(word) && !commonNames.test(word)).join("");
  if (name.length < minName) return false;
  return tokens.some(({ kind, lower }, at) => {
    if (kind !== "word") return false;
    const own = lower.replaceAll("-", "");
    return own === name || (own !== "" && `${own}${tokens[at + 1]?.lower ?? ""}` === name);
  });
}
/** "Until the end of May" is about no `end_date` alone. */
const commonNames = /^(?:on|at|for|from|to|start|begin|beginning|end|until|since|before|after|by|due)$/;
/** Letters of a name that says which day is meant. */
const minName = 3;

const isOtherEnd = ({ from, to }: DateSpan, { preposition }: Span, { side }: Parameter): boolean =>
  side === "start" && to !== undefined && (from === undefined || preposition === "until");

/** "to Monday" */
const isAimedAt = ({ kind, preposition, text }: Span) =>
  kind === "date" && (preposition === "to" || /^to\s/i.test(text));

interface DateForm {
  readonly value: unknown;
  readonly form: string;
  readonly facet?: NonNullable<Candidate["facet"]>;
}

/** "In March 2026" is a month and a year, and of a range each end is one; what several arguments may take of one date. */
function facetOf(parameter: Parameter, oneDay: boolean): NonNullable<Candidate["facet"]> {
  const last = parameter.words.at(-1);
  if (isNumeric(parameter) && (last === "year" || last === "month")) return last;
  return oneDay && comesBack(parameter) ? "day" : (parameter.side ?? "day");
}

/** "at 10:30", "for 30 minutes": no part of what is said. */
const leading = /^(?:(?:at|on|for|in|by|the)\s+)+/i;

const dated: ReadonlySet<string> = new Set(
  "date dates day days time times deadline month year period duration when week timestamp datetime".split(" "),
);
const hours: ReadonlySet<string> = new Set("time hour hours clock opening closing".split(" "));
const asksHours = ({ words, format }: Parameter) => format === "time" || words.some((word) => hours.has(word));
const clock = /\b\d{1,2}(?::\d{2}){1,2}(?:\s?[ap]\.?m\b\.?)?|\b\d{1,2}\s?[ap]\.?m\b\.?/gi;

/** No range of days is the id of a thing, and none is what is "hour" where nothing is said. */
const takesWords = ({ isIdentifier, fallback }: Parameter, oneDay: boolean): boolean =>
  oneDay || !(isIdentifier || (typeof fallback === "string" && /^\p{L}+$/u.test(fallback)));

const isDated = ({ holdsDay, words }: Parameter) => holdsDay || words.some((word) => dated.has(word));

/** A day of departure is not a day of return. */
const comesBack = ({ words }: Parameter) => /^(?:return|check_?out)/.test(words.join("_"));

const asksWeekday = ({ words, description }: Parameter) =>
  /\bweek ?days?\b|\bday of (?:the )?week\b/i.test(`${words.join(" ")} ${description}`);

/** `start_time` beside a `date`: the day is said by the other one, and this is a time of day. */
const isBesideDay = (parameter: Parameter, parameters: readonly Parameter[]): boolean =>
  parameter.format === "" &&
  asksHours(parameter) &&
  !isWrittenDay(parameter) &&
  !/\b(?:date|day)\b/i.test(parameter.description) &&
  parameters.some((other) => other !== parameter && other.format === "date");

/** Times of day as they are written: "from 9:00 AM to 6 pm" has two. */
function clocksIn(text: string): string[] {
  const found = [...text.matchAll(clock)].map(([said]) => said);
  // A text that is nothing else is offered as it is written.
  return found[0] === text ? [] : found;
}

/** "8 pm" is 20:00 where the description asks for hours and minutes. */
const clockFor =
  ({ description, format }: Parameter) =>
  (said: string): string => {
    const [, hour, minute = "00", half] = /^(\d{1,2})(?::(\d{2}))?\s?([ap])?/i.exec(said) ?? [];
    if (hour === undefined || !(format === "time" || /\bHH:MM\b|\b24[- ]?(?:hour|h)\b/i.test(description))) return said;
    const late = half?.toLowerCase() === "p";
    const of24 = half === undefined ? Number(hour) : (Number(hour) % 12) + (late ? 12 : 0);
    return `${String(of24).padStart(2, "0")}:${minute}`;
  };

/** The month or the day of the week that a date names, for an argument that is called so. */
function namesIn(text: string, { words }: Parameter): DateForm[] {
  return (["month", "weekday"] as const).flatMap((sort): DateForm[] => {
    if (!words.includes(sort) && !(sort === "weekday" && words.includes("day"))) return [];
    const name = text.split(/[^\p{L}]+/u).find((word) => word.length > 2 && isNamed(word, sort));
    return name === undefined || name === text ? [] : [{ value: name, form: sort }];
  });
}

function dayFor(parameter: Parameter, span: Span, draft: Draft, planning: FunctionPlanning) {
  const date = planning.dates[span.value as number];
  if (date === undefined) return undefined;
  const dated = /date|day|time|deadline/.test(parameter.name.toLowerCase()) || parameter.about.has("date");
  const part = draft.profile.effect === "changes" ? undefined : partOfDay(date, planning.text);
  return fitDate(
    dated && parameter.types.has("string") ? { ...parameter, holdsDay: true } : parameter,
    { near: new Set(span.before.slice(0, 4)), date: part === undefined ? date : { ...date, ...part } },
    { clock: planning.clock, parameters: draft.profile.parameters },
  );
}

/** "on Friday afternoon": of what is read on one day, the hours that are said in a word. */
function partOfDay(
  { start, end, from, to, time }: DateSpan,
  text: string,
): Pick<DateSpan, "time" | "endTime"> | undefined {
  const said = text.slice(start, end) + (/^\s+(?:in the )?\p{L}+/u.exec(text.slice(end, end + maxPart))?.[0] ?? "");
  const [, word] = /\s(morning|afternoon|evening|night)$/i.exec(said) ?? [];
  if (word === undefined || from === undefined || to === undefined || time !== undefined) return undefined;
  const [first, last] = partsOfDay[word.toLowerCase() as keyof typeof partsOfDay];
  const isWhole = last === 24;
  return {
    time: { hour: first, minute: 0, second: 0 },
    endTime: isWhole ? { hour: 23, minute: 59, second: 59 } : { hour: last, minute: 0, second: 0 },
  };
}

/** Characters in which such a word lies. */
const maxPart = 30;
/** First and last hour. */
const partsOfDay = { morning: [6, 12], afternoon: [12, 18], evening: [18, 24], night: [18, 24] } as const;
