import { shapeOf, type ValueShape } from "../../catalogue/value-shape.ts";
import type { Vocabulary } from "../../language/clauses/clauses.ts";
import { codeOf } from "../../language/text/locale-names.ts";
import { isPlural } from "../../language/text/singular.ts";
import { type Features, logOdds, type Weights } from "../learned/weigh.ts";
import type { Call, Known } from "./call.ts";
import type { Candidate } from "./candidate.ts";
import type { Excerpt } from "./excerpts.ts";
import { excerptFeatures, innerOf, proximityOf, strength, textFeatures } from "./features.ts";
import { outrightOf } from "./outright-odds.ts";
import { isNoId } from "./outright-rules.ts";
import { likeness } from "./parallel-phrasing.ts";
import { isSwitch, isTextual, type ParameterReading, sorts } from "./parameter-reading.ts";

/** Whatever the parameter says for it, an excerpt with less than this becomes no value. */
const minTextLogOdds = -6;
/** What its words alone speak for, before what is said outright of it. */
const minExcerptLogOdds = -9;

const takesExcerpt = ({ parameter }: ParameterReading) =>
  parameter.choices.length === 0 && isTextual(parameter) && !isSwitch(parameter);

/** A parameter for a day takes no words, but a time stamp as it is written. */
const takesShape = ({ parameter, shapes }: ParameterReading, shape: ValueShape | undefined) =>
  !parameter.holdsDay || (parameter.format === "" && shape === "stamp" && shapes.has(shape));

/** Excerpts of the call's text, as they are written and in the form that a parameter may want. */
export function fromTexts(
  { excerpts, tokens, before, draft }: Call,
  readings: readonly ParameterReading[],
  known: Known,
  vocabulary: Vocabulary,
  table: Weights | undefined,
): Candidate[] {
  const takers = readings.filter(takesExcerpt);
  if (takers.length === 0) return [];
  const found: Candidate[] = [];
  for (const excerpt of excerpts) {
    const inner = innerOf(excerpt);
    const features = excerptFeatures(excerpt, known, inner);
    const odds = sorts.map(() => Number.NaN);
    for (const { sort } of takers)
      if (Number.isNaN(odds[sort])) odds[sort] = table === undefined ? 0 : logOdds("text", sort, features, table);
    if (takers.every(({ sort }) => odds[sort]! < minExcerptLogOdds)) continue;
    const shape = shapeOf(excerpt);
    const outrightFor = outrightOf(excerpt, tokens, readings, draft.profile, vocabulary, known.knows);
    const near = readings.map(({ parameter }) => proximityOf(parameter, excerpt, inner));
    const strengths = near.map(strength);
    for (const reading of takers) {
      if (odds[reading.sort]! < minExcerptLogOdds || !takesShape(reading, shape)) continue;
      // "the engine Nordlys": its id has to be looked up.
      if (isNoId(excerpt, reading.parameter) && known.isLookedUp(reading.parameter)) continue;
      const at = reading.index;
      let elsewhere = 0;
      for (let other = 0; other < strengths.length; other += 1)
        if (other !== at) elsewhere = Math.max(elsewhere, strengths[other]!);
      const { parameter } = reading;
      // "such as awls," where the call's words end: a list that continues is not its first item.
      if (parameter.takesList && tokens[excerpt.to]?.text === "," && excerpt.to + 1 === tokens.length) continue;
      const own = textFeatures(reading, excerpt, near[at]!, elsewhere, inner);
      if (before.size > 0) own.push(...likeness(excerpt, tokens, before.get(reading.slot)));
      const outright = outrightFor(reading);
      const learned = table === undefined ? 0 : odds[reading.sort]! + logOdds("text", reading.sort, own, table);
      if (table !== undefined && learned + outright < minTextLogOdds) continue;
      for (const [text, form] of formsOf(excerpt, reading))
        found.push({
          group: "text",
          reading,
          outright,
          // What is weighed already need not be weighed again.
          features: table === undefined ? [...own, ...form] : form,
          shared: { features, odds: learned },
          parts: [[excerpt.from, excerpt.to]],
          spans: [excerpt.base],
          value: parameter.takesList && !parameter.takesOne ? [text] : text,
          said: excerpt.text,
        });
    }
  }
  return found;
}

/** A UUID that is written without its hyphens, as many addresses of pages have it. */
const bareUuid = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/i;

/** An excerpt as it is written, but a UUID with its hyphens; of a plural also the singular, of a currency, country or language its code: alone where the schema asks for codes. */
function formsOf(
  excerpt: Excerpt,
  { parameter, named, codes }: ParameterReading,
): [text: string, features: Features][] {
  const { words } = excerpt;
  // "PR #42": the sign says that a number names something, and is part of none.
  if (parameter.format === "uuid" && bareUuid.test(excerpt.text))
    return [[excerpt.text.replace(bareUuid, "$1-$2-$3-$4-$5").toLowerCase(), []]];
  const text =
    parameter.isIdentifier && /^#(?=\S*\d)[\w-]+$/.test(excerpt.text) && !/#/.test(parameter.description)
      ? excerpt.text.slice(1)
      : excerpt.text;
  const asksCode = codes && (named === "currency" || named === "country" || named === "language");
  if (named === "currency" || named === "country" || named === "language") {
    const code = codeOf(text, named);
    if (code !== undefined && code !== text) {
      const coded: [string, Features] = [code, [[codes ? "code described" : "code", 1]]];
      return codes ? [coded] : [[text, [["has code", 1]]], coded];
    }
  }
  const last = words.at(-1)!;
  if (last.kind === "word" && !last.capital && !last.possessive && last.noun !== last.lower) {
    const many = isPlural(parameter.words.at(-1) ?? "") || parameter.takesList;
    const single = text.slice(0, text.length - last.text.length) + last.noun;
    return [
      [text, [["plural", 1], ...(many ? [["plural for many", 1] as const] : [])]],
      [single, [["singular", 1], ...(many ? [["singular for many", 1] as const] : [])]],
    ];
  }
  return asksCode && !/^(?:\p{Lu}{2,5}|\p{Ll}{2})$/u.test(text) ? [] : [[text, []]];
}
