import { isCalledAfter, isKindOfId } from "../../catalogue/kinds-of-ids.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { countPattern, readCount } from "../../language/temporal/relative-range.ts";
import { scales } from "../../language/text/lexicon.ts";
import { isNamed } from "../../language/text/locale-names.ts";
import { isPlural } from "../../language/text/singular.ts";
import { stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { converted, statedUnit, unitOf } from "../../language/text/units.ts";
import type { Features } from "../learned/weigh.ts";
import { nounOfId } from "../segmenting/named-ids.ts";
import type { Call } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import type { Excerpt } from "./excerpts.ts";
import { countingWords, explicitLogOdds, numberOdds, saidOf } from "./explicit-cues.ts";
import { type NameProximity, proximityOf, strength } from "./features.ts";
import { numberFeatures } from "./number-features.ts";
import { numbersInWords } from "./numbers-in-words.ts";
import { likeness } from "./parallel-phrasing.ts";
import { boundHeld } from "./parameter-cues.ts";
import { holdsAmount, isNumeric, minorUnits, type ParameterReading } from "./parameter-reading.ts";
import { attributeAgreement, attributeSet } from "./set-attributes.ts";

/** Numbers of the call, those within dates ("the next 5 days") and ordinals ("8th") among them. */
export function fromNumbers(
  { excerpts, spans, tokens, draft, before }: Call,
  readings: readonly ParameterReading[],
): Candidate[] {
  const takers = readings.filter(
    ({ parameter }) => (isNumeric(parameter) || holdsAmount(parameter)) && parameter.choices.length === 0,
  );
  if (takers.length === 0) return [];
  const names = new Set(draft.profile.nameWords.map(stem));
  const numbers = excerpts.filter(
    (each) => each.kind === "number" && (each.to - each.from === 1 || each.shape === "span"),
  );
  const pairs = coordinatesIn(tokens);
  const hidden = excerpts.flatMap((each) => [...hiddenNumber(each), ...numbersInWords(each, tokens)]);
  const paired = excerpts.flatMap((each) => pairedNumbers(each));
  const latest =
    draft.profile.effect === "reads" ? excerpts.flatMap((each) => latestOne(each, tokens, draft.profile)) : [];
  return [...numbers, ...hidden, ...paired, ...latest].flatMap((excerpt: Excerpt & Partial<Fitted>) => {
    const near = readings.map(({ parameter }) => proximityOf(parameter, excerpt, []));
    const said = saidOf(excerpt, tokens, names);
    const attribute = attributeSet(tokens, excerpt.from);
    const thing = excerpt.to - excerpt.from === 1 ? nounOfId(tokens, excerpt.from) : undefined;
    return takers.flatMap((reading): Candidate[] => {
      if (excerpt.fits?.(reading.parameter) === false) return [];
      const list = reading.parameter.takesList && !reading.parameter.takesOne;
      const lowered = isSigned(reading.parameter) && saysLess(tokens) ? -1 : 1;
      const values = valuesFor(reading.parameter, excerpt, tokens).map(
        ([value, form]) => [lowered * value, form] as const,
      );
      if (values.length === 0) return [];
      const at = reading.index;
      const elsewhere = Math.max(0, ...near.flatMap((other, index) => (index === at ? [] : [strength(other)])));
      const features = numberFeatures(reading, excerpt, near[at] as NameProximity, elsewhere, numbers, draft);
      if (before.size > 0) features.push(...likeness(excerpt, tokens, before.get(reading.slot)));
      const { facet, fits, isNamed: named = false } = excerpt;
      const outright = fits === undefined ? numberOdds(reading, said, readings) : (named ? 2 : 1) * explicitLogOdds;
      return values.map(([value, form]) => ({
        group: "number",
        reading,
        outright:
          outright +
          explicitLogOdds * attributeAgreement(attribute, reading, readings) +
          directionOdds(reading.parameter, excerpt, tokens) +
          ofAnotherOdds(reading.parameter, thing) +
          peopleOdds(reading.parameter, tokens[excerpt.to]) +
          coordinateOdds(reading, excerpt, pairs, takers),
        ...(facet && { facet }),
        features: [...features, ...form],
        parts: [[excerpt.from, excerpt.to]],
        spans: spans.filter((span) => span === excerpt.base),
        value: isNumeric(reading.parameter) ? (list ? [value] : value) : asWritten(excerpt, value),
        said: excerpt.text,
      }));
    });
  });
}

/** "What does lamp 9 cost?": where some tool takes the ids of lamps, the number of one is never an amount that may be left out. */
const ofAnotherOdds = (parameter: Parameter, noun: string | undefined): number =>
  noun !== undefined && !parameter.required && isKindOfId(parameter, noun) && !isCalledAfter(parameter, noun)
    ? -2 * explicitLogOdds
    : 0;

/** "for 4 people" where adults, children and infants are counted apart: it is the adults. */
function peopleOdds({ words }: Parameter, counted: Token | undefined): number {
  if (counted === undefined || !/^(?:people|person|guest|traveller|traveler|passenger|visitor)$/.test(counted.noun))
    return 0;
  const [last = ""] = words.slice(-1);
  return /^adults?$/.test(last) ? explicitLogOdds : notGrown.test(last) ? -2 * explicitLogOdds : 0;
}
const notGrown = /^(?:child|children|kids?|infants?|bab(?:y|ies)|toddlers?|teens?|teenagers?|pets?|animals?)$/;

/** "the next 5 days" speak against `past_days`, "the last 5 days" against `forecast_days`. */
function directionOdds({ words }: Parameter, { from, to, text }: Excerpt, tokens: readonly Token[]): number {
  const around = [
    ...tokens.slice(Math.max(0, from - 3), from).map(({ lower }) => lower),
    text,
    ...tokens.slice(to, to + 3).map(({ lower }) => lower),
  ].join(" ");
  const [ahead, back] = [
    /\b(?:next|coming|following|upcoming|ahead)\b/i.test(around),
    /\b(?:last|past|previous|ago|back)\b/i.test(around),
  ];
  if (ahead === back) return 0;
  const contrary = words.some((word) => (ahead ? pastWords : futureWords).has(word));
  const agrees = words.some((word) => (ahead ? futureWords : pastWords).has(word));
  return contrary ? -2 * explicitLogOdds : agrees ? explicitLogOdds : 0;
}

/** Positions of the two numbers of each "52.5163, 13.3777". */
function coordinatesIn(tokens: readonly Token[]): readonly (readonly [first: number, second: number])[] {
  const isPart = (at: number) => tokens[at]?.kind === "number" && /^-?\d{1,3}\.\d{2,}$/.test(tokens[at]!.text);
  return tokens.flatMap((token, at) =>
    token.text === "," && isPart(at - 1) && isPart(at + 1) ? [[at - 1, at + 1]] : [],
  ) as [number, number][];
}

/** A latitude and a longitude are written in this order, with a comma between: no other number is one of the two, and they are nothing else. */
function coordinateOdds(
  { parameter }: ParameterReading,
  { from, to }: Excerpt,
  pairs: readonly (readonly [number, number])[],
  takers: readonly ParameterReading[],
): number {
  const end = (each: Parameter) => {
    const last = each.words.at(-1) ?? "";
    return /^lat(?:itude)?$/.test(last) ? 0 : /^(?:lng|lon|long|longitude)$/.test(last) ? 1 : undefined;
  };
  if (pairs.length === 0 || !takers.some((each) => end(each.parameter) === 0)) return 0;
  const own = end(parameter);
  const place =
    to - from === 1 ? pairs.flatMap((pair) => (pair.includes(from) ? [pair.indexOf(from)] : []))[0] : undefined;
  if (own === undefined) return place === undefined ? 0 : -explicitLogOdds;
  return own === place ? explicitLogOdds : -explicitLogOdds;
}

const pastWords: ReadonlySet<string> = new Set(["past", "previous", "last", "history", "back"]);
const futureWords: ReadonlySet<string> = new Set(["forecast", "future", "ahead", "next", "upcoming"]);

/** "15.90" of "$15.90", for an amount that is a text: with the digits that were written where the number is the same. */
function asWritten({ text }: Excerpt, value: number): string {
  const digits = /\d[\d,]*(?:\.\d+)?/.exec(text)?.[0].replaceAll(",", "");
  return digits !== undefined && Number(digits) === value ? digits : String(value);
}

const period = new RegExp(
  `\\b(?:(\\d{1,6})|(next|last|past|coming|previous|following)(?: (${countPattern}))?)\\s+(second|minute|hour|night|day|week|month|quarter|year)s?\\b`,
  "i",
);

/** "the next 5 days" is also the number 5, "the next week" 1 of weeks, "8th" is also 8. */
function hiddenNumber(excerpt: Excerpt): Excerpt[] {
  if (excerpt.to - excerpt.from !== 1) return [];
  if (excerpt.kind === "date") {
    const found = period.exec(excerpt.words[0]?.text ?? "");
    return found === null
      ? []
      : [
          {
            ...excerpt,
            kind: "number",
            value: Number(found[1] ?? readCount(found[3] ?? "") ?? 1),
            unit: found[4]!.toLowerCase(),
          },
        ];
  }
  const numbered = excerpt.kind === "literal" ? /^#(\d{1,9})$/.exec(excerpt.text) : null;
  if (numbered !== null) return [{ ...excerpt, kind: "number", value: Number(numbered[1]) }];
  const ordinal = excerpt.kind === "literal" ? /^(\d{1,6})(?:st|nd|rd|th)\b/i.exec(excerpt.text) : null;
  return ordinal === null ? [] : [{ ...excerpt, kind: "number", value: Number(ordinal[1]), unit: "th" }];
}

/** "the last reading", "the latest note": one of what is listed. */
function latestOne(excerpt: Excerpt, tokens: readonly Token[], { about }: Profile): (Excerpt & Fitted)[] {
  const [word, more] = excerpt.words;
  if (word?.kind !== "word" || more !== undefined || isPlural(word.lower) || word.possessive || !about.has(word.stem))
    return [];
  const [before, adjective] = [tokens[excerpt.from - 2]?.lower ?? "the", tokens[excerpt.from - 1]?.lower ?? ""];
  const isLast = /^(?:last|latest|newest)$/.test(adjective) && /^(?:the|my|our|its)$/.test(before);
  if (!isLast && !(before === "most" && adjective === "recent")) return [];
  return [{ ...excerpt, kind: "number", value: 1, fits: limitsRows }];
}

/** It says how many rows are listed at most; JSON Schema may call it a number rather than an integer. */
const limitsRows = ({ isLimit, types, words }: Parameter) =>
  (isLimit || types.has("number")) &&
  /(?:^|_)(?:limit|count|results|per_page|page_size|max|top)$/.test(words.join("_"));

/** A number that only some arguments take. */
interface Fitted {
  /** One of two that come from one word. */
  readonly facet?: "start" | "end";
  /** The word that says it is what such an argument is called: "a child" for `children`. */
  readonly isNamed?: boolean;
  /** Arguments that take it. */
  fits(parameter: Parameter): boolean;
}

/** "800x600" is a width and a height, "700-1200" a lower and an upper bound. */
function pairedNumbers(excerpt: Excerpt): (Excerpt & Fitted)[] {
  const [, first, link, second] = /^(\d{1,9})\s?([x×–-])\s?(\d{1,9})$/u.exec(excerpt.text) ?? [];
  if (excerpt.to - excerpt.from !== 1 || link === undefined) return [];
  const names = (word: string) => (parameter: Parameter) => parameter.words.includes(word);
  const holds = (bound: "low" | "high") => (parameter: Parameter) => boundHeld(parameter) === bound;
  const fits = /[x×]/u.test(link) ? [names("width"), names("height")] : [holds("low"), holds("high")];
  return [first, second].map((text, at) => ({
    ...excerpt,
    kind: "number",
    value: Number(text),
    facet: at === 0 ? "start" : "end",
    fits: fits[at]!,
  }));
}

/** It holds by how much something changes, down as well as up. */
const isSigned = ({ words, description, schema }: Parameter) =>
  (/\bnegative\b/i.test(description) && !/\b(?:no|non|not|non-)[- ]?negative\b/i.test(description)) ||
  (/^(?:delta|adjustment)$/.test(words.at(-1) ?? "") && !(typeof schema.minimum === "number" && schema.minimum >= 0));

/** The words ask for less. */
const saysLess = (tokens: readonly Token[]) =>
  tokens.some(
    ({ lower }, at) =>
      lessWords.has(lower) ||
      (/^(?:take|turn|bring|cut)$/.test(lower) &&
        tokens.slice(at + 1).some((each) => /^(?:away|off|out|down)$/.test(each.lower))),
  );
const lessWords: ReadonlySet<string> = new Set(
  "remove subtract deduct reduce decrease lower less fewer down minus withdraw quieter smaller slower colder cooler darker shorter".split(
    " ",
  ),
);

/** The number in each form that the parameter may want: of a percentage also the share of one. */
function valuesFor(
  parameter: Parameter,
  excerpt: Excerpt,
  tokens: readonly Token[],
): [value: number, features: Features][] {
  const value = numberFor(parameter, excerpt, tokens);
  if (excerpt.unit !== "%" && tokens[excerpt.to]?.lower !== "percent")
    return value === undefined
      ? []
      : [[value, excerpt.kind === "number" && excerpt.words[0]?.kind !== "number" ? [["hidden", 1]] : []]];
  const said = Number(excerpt.value ?? tokens[excerpt.from]?.value);
  const words = `${parameter.words.join(" ")} ${parameter.description}`;
  const { fallback } = parameter;
  const described = {
    percent: /percent|%/i.test(words),
    decimal: /\bdecimal|fraction|ratio|between 0 and 1\b|\b0?\.\d/i.test(words),
    rate: /\brate\b/i.test(words),
    "small default": typeof fallback === "number" && fallback > 0 && fallback < 1,
    "large default": typeof fallback === "number" && fallback >= 1,
    fraction: parameter.types.has("number"),
    undescribed:
      parameter.types.has("number") && !/percent|%|\bdecimal|fraction|ratio|between 0 and 1\b|\b0?\.\d/i.test(words),
  };
  const features = (form: string): Features => [
    [form, 1],
    ...Object.entries(described).flatMap(([name, holds]) => (holds ? [[`${form} ${name}`, 1] as const] : [])),
  ];
  const share = Number((said / 100).toPrecision(12));
  const options: [number, Features][] = [
    [said, features("percent")],
    [share, features("share")],
  ];
  return options.filter(([each]) => mayHold(parameter, each));
}

/** The number as the parameter wants it: in the unit that it states, as a share of one, within its bounds. */
export function numberFor(parameter: Parameter, excerpt: Excerpt, tokens: readonly Token[]): number | undefined {
  let value = Number(excerpt.value ?? tokens[excerpt.from]?.value);
  // So many digits name something, and a number cannot hold them all.
  if (Math.abs(value) > Number.MAX_SAFE_INTEGER) return undefined;
  if (/^\d{10,}$/.test(excerpt.text) && (parameter.isLimit || countingWords.has(parameter.words.at(-1) ?? "")))
    return undefined;
  const next = tokens[excerpt.to];
  value *= scales.get(next?.lower ?? "") ?? 1;
  if (excerpt.unit === "%" && /\bdecimal|fraction|between 0 and 1\b/i.test(parameter.description))
    value = Number((value / 100).toPrecision(12));
  else {
    const from = unitOf(excerpt.unit ?? next?.text ?? "");
    value = converted(value, from, statedUnit(parameter.words, parameter.description));
    if (minorUnits.test(parameter.description) && isMoney(excerpt, next)) value = Math.round(value * 100);
  }
  return mayHold(parameter, value) ? value : undefined;
}

/** Currencies that have no smaller unit. */
const undivided = /^(?:yen|jpy|won|krw|¥)$/i;

/** "15 dollars", "€15": not "15" and not "15 cents". */
function isMoney({ text, unit }: Excerpt, next: Token | undefined): boolean {
  const said = /[$€£¥]/.exec(text)?.[0] ?? unit ?? next?.lower ?? "";
  return !undivided.test(said) && (/^[$€£]$/.test(said) || isNamed(said, "currency") || /^(?:bucks?|quid)$/.test(said));
}

function mayHold({ types, schema }: Parameter, value: number): boolean {
  const { minimum, maximum } = schema;
  return (
    Number.isFinite(value) &&
    (!types.has("integer") || types.has("number") || Number.isInteger(value)) &&
    !(typeof minimum === "number" && value < minimum) &&
    !(typeof maximum === "number" && value > maximum)
  );
}
