import type { Parameter } from "../../catalogue/parameter.ts";
import { opensReason, opensSaying } from "../../language/clauses/content-clauses.ts";
import { type Bound, type BoundOfNoun, boundOf, boundOfNoun, closesRange } from "../../language/clauses/said-bounds.ts";
import { isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { nameWords, scales, spelledOut } from "../../language/text/lexicon.ts";
import { isNamed } from "../../language/text/locale-names.ts";
import { numberWords } from "../../language/text/number-words.ts";
import { stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { unitOf } from "../../language/text/units.ts";
import { nounOfId } from "../segmenting/named-ids.ts";
import type { Excerpt } from "./excerpts.ts";
import type { ParameterCues } from "./parameter-cues.ts";
import type { ParameterReading } from "./parameter-reading.ts";

/**
 * Log-odds for what a goal says outright: bounds, names after "called", reasons after "because", the currency of an
 * amount. Set by hand: benchmarks say these too seldom to learn their weight, and such words mean nothing else.
 */
export const explicitLogOdds = 4;

/** What a number's own words say of it. */
export interface SaidOfNumber {
  readonly bound: Bound;
  readonly boundOfNoun: BoundOfNoun | undefined;
  /** The second one of "between 5 and 7". */
  readonly endsRange: boolean;
  readonly share: boolean;
  readonly money: boolean;
  /** It counts what the call is named after. */
  readonly counted: boolean;
  /** "3 rows" are many, "row 3" is one. */
  readonly numbers: ParameterCues["numbers"];
  /** The stem of the noun of which it numbers one: "row" of "row 3". */
  readonly of: string | undefined;
  /** A unit or a currency is said with it: "4200 g", "8 €". */
  readonly measured: boolean;
  /** So many digits with no unit name one thing. */
  readonly namesOne: boolean;
  /** The stem of the unit of time that it counts: "week" of "the last 4 weeks". */
  readonly period: string | undefined;
  /** The noun of "5 per page". */
  readonly per: string | undefined;
}

/** "4200 g", "8 €", "7 days": it says how much, and names nothing. */
export function isMeasured(
  { kind, text, unit, to }: Pick<Excerpt, "kind" | "text" | "unit" | "to">,
  tokens: readonly Token[],
): boolean {
  if (kind !== "number") return false;
  const next = tokens[to];
  return (
    /[$€£¥%]/.test(text) ||
    /^[€£¥%]$/.test(next?.text ?? "") ||
    (unit !== undefined && unitOf(unit) !== undefined) ||
    (next?.kind === "word" && (unitOf(next.lower) !== undefined || isNamed(next.lower, "currency")))
  );
}

const periods: ReadonlySet<string> = new Set("second minute hour night day week month quarter year".split(" "));

export function saidOf(excerpt: Excerpt, tokens: readonly Token[], names: ReadonlySet<string>): SaidOfNumber {
  return {
    bound: boundOf(tokens, excerpt.from, excerpt.to),
    boundOfNoun: boundOfNoun(tokens, excerpt.from),
    endsRange: closesRange(tokens, excerpt.from),
    share: excerpt.unit === "%" || tokens[excerpt.to]?.lower === "percent",
    money: /[$€£¥]/.test(excerpt.text),
    counted: excerpt.after.some((each) => names.has(each)),
    numbers: numberedAs(excerpt, tokens),
    of: nounOfId(tokens, excerpt.from),
    measured: isMeasured(excerpt, tokens),
    namesOne: manyDigits.test(excerpt.text) && !isMeasured(excerpt, tokens),
    period: excerpt.unit !== undefined && periods.has(excerpt.unit) ? stem(excerpt.unit) : undefined,
    per: perOf(tokens, excerpt.to),
  };
}

/** "5 per page", "20 rows a page" */
function perOf(tokens: readonly Token[], to: number): string | undefined {
  const at = tokens.findIndex(({ lower }, place) => place >= to && place < to + 2 && lower === "per");
  const noun = tokens[at + 1];
  return at < 0 || noun?.kind !== "word" ? undefined : noun.noun;
}

const manyDigits = /^\d{6,}$/;

function numberedAs({ from, to, text }: Excerpt, tokens: readonly Token[]): ParameterCues["numbers"] {
  let next = to;
  // "the 10 latest runs"
  while (next < to + 2 && /est$|^(?:most|recent|new|old|top|last|first|open|closed)$/.test(tokens[next]?.lower ?? ""))
    next += 1;
  const [before, after] = [tokens[from - 1], tokens[next]];
  // "20 of each item", "100 more of B-7"
  if (
    after?.lower === "more" ||
    (after?.lower === "of" && /^(?:each|every|them|these|those|it)$/.test(tokens[next + 1]?.lower ?? ""))
  )
    return "many";
  const isNoun = before?.kind === "word" && isContent(before.lower) && before.noun === before.lower;
  const numbersOne = isNoun && !ordering.has(before.lower) && !isVerb(before.lower);
  // "patient 5521 weighs"
  if (numbersOne && /^\d{4,}$/.test(text)) return "one";
  if (after?.kind === "word" && !after.capital && after.noun !== after.lower && isContent(after.lower)) return "many";
  return numbersOne ? "one" : undefined;
}

const ordering: ReadonlySet<string> = new Set("first last top past next previous other another exactly".split(" "));

/** For a number as the value of a parameter: do bounds, per cent and money agree, and is it what the call counts? */
export function numberOdds(
  { takes, parameter }: ParameterReading,
  said: SaidOfNumber,
  readings: readonly ParameterReading[],
): number {
  const isId = parameter.isIdentifier && !/^numbers?$/.test(parameter.words.join("_"));
  const { boundOfNoun: ofNoun } = said;
  const isNoun = ofNoun !== undefined && (parameter.about.has(ofNoun.noun) || parameter.stems.includes(ofNoun.noun));
  const bound = said.bound ?? (isNoun ? ofNoun.bound : undefined);
  let odds =
    bound === undefined || takes.bound === undefined ? 0 : bound === takes.bound ? explicitLogOdds : -explicitLogOdds;
  // "more than 100 stars": an argument for how many are wanted at most takes no lower bound.
  if (said.bound === "low" && counts(parameter) && takes.bound !== "low") odds -= explicitLogOdds;
  // "between 1700 and 1800": up to what, and not how many.
  const isMaximum = parameter.words.join() === "max";
  if (said.endsRange && (isMaximum ? isBareMaximum(parameter, readings) : counts(parameter)))
    odds -= 2 * explicitLogOdds;
  if (said.share && readings.some((other) => other.takes.share))
    odds += takes.share ? explicitLogOdds : -explicitLogOdds;
  if (said.money && (takes.share || takes.lasts)) odds -= explicitLogOdds;
  if (said.measured && parameter.isIdentifier) odds -= 3 * explicitLogOdds;
  // "4400128 paid 8 €"
  if (said.namesOne && !parameter.isIdentifier && readings.some((other) => other.parameter.isIdentifier))
    odds -= explicitLogOdds;
  // "below 5 pieces" compares and does not identify.
  if (said.bound !== undefined && isId) odds -= 2 * explicitLogOdds;
  // "10 runs" is none of their ids.
  if (said.numbers === "many" && isId) odds -= 2 * explicitLogOdds;
  if (said.counted && takes.counts) odds += explicitLogOdds;
  // "berth 4411" says nothing of how many are wanted.
  if (said.of !== undefined && counts(parameter) && !parameter.stems.includes(said.of)) odds -= 3 * explicitLogOdds;
  // "of the last 4 weeks" says since when, and not how many are wanted.
  if (said.period !== undefined && parameter.isLimit && !isOfUnit(parameter, said.period)) odds -= 3 * explicitLogOdds;
  // "5 per page" says how many of them a page has, and not which page.
  if (said.per !== undefined && parameter.words.includes(said.per))
    odds += parameter.words.length > 1 ? explicitLogOdds : -2 * explicitLogOdds;
  // "the 10 newest": rows, and not how many bytes they may take.
  if (
    !said.measured &&
    limitsSize(parameter) &&
    readings.some((other) => other.parameter.isLimit && !limitsSize(other.parameter))
  )
    odds -= 2 * explicitLogOdds;
  // Where one parameter takes a number of things and another the number of one, the noun tells them apart.
  const isDistinct = said.numbers !== undefined && readings.some((other) => other.takes.numbers === said.numbers);
  if (isDistinct && takes.numbers !== undefined)
    odds += takes.numbers === said.numbers ? explicitLogOdds / 2 : -explicitLogOdds;
  return odds;
}

/** `max` with no `min` beside it: how many are wanted. */
const isBareMaximum = ({ path }: Parameter, readings: readonly ParameterReading[]) =>
  path.length === 1 &&
  !readings.some(({ parameter }) => parameter.words.join() === "min" && parameter.path.length === 1);

const isOfUnit = ({ stems, about }: Parameter, unit: string) => stems.includes(unit) || about.has(unit);

/** `max_bytes`, `max_tokens`: how much a row or an answer may take up. */
const limitsSize = ({ words }: Parameter) =>
  words.some((word) => /^(?:bytes?|[km]b|chars?|characters?|tokens?)$/.test(word));

const counts = ({ isLimit, words }: Parameter) => isLimit || countingWords.has(words.at(-1) ?? "");
/** End the names of parameters that hold a place in a row or an amount of things. */
export const countingWords: ReadonlySet<string> = new Set(
  "position index order page size count limit depth offset".split(" "),
);

/** What comes right before an excerpt of text and tells what it is. */
export type Cue = "amount" | ParameterCues["cue"];

const naming: ReadonlySet<string> = new Set("called named titled labelled labeled entitled".split(" "));

export function cueOf({ from, kind }: Excerpt, tokens: readonly Token[]): Cue {
  const before = tokens[from - 1];
  if (before === undefined) return undefined;
  if (kind !== "number" && (before.kind === "number" || numberWords(tokens, from - 1) !== undefined)) return "amount";
  if (before.lower === "by" && tokens[from]!.capital) return "maker";
  if (kind === "literal" && countsThing(tokens, from)) return "amount";
  if (naming.has(before.lower)) return "name";
  if (opensSaying(tokens, from)) return "message";
  return opensReason(tokens, from) ? "reason" : undefined;
}

/** "10 x K-12", "3 units of K-12" */
function countsThing(tokens: readonly Token[], from: number): boolean {
  let at = from - 1;
  if (tokens[at]?.lower === "of") at -= 1;
  if (/^(?:x|×|times|pieces?|units?|pcs)$/.test(tokens[at]?.lower ?? "")) at -= 1;
  return tokens[at]?.kind === "number";
}

/** It is in a list of objects that have a number too: `lines[].sku` beside `lines[].quantity`. */
const isItem = ({ list }: Parameter, readings: readonly ParameterReading[]) =>
  list !== undefined &&
  readings.some(
    ({ parameter: { list: other, types } }) =>
      other?.join("\0") === list.join("\0") && (types.has("integer") || types.has("number")),
  );

/** The one text in such objects. */
const isOnlyTextOfItem = (parameter: Parameter, readings: readonly ParameterReading[]) =>
  isItem(parameter, readings) &&
  readings.every(
    ({ parameter: other }) =>
      other === parameter ||
      other.list?.join("\0") !== parameter.list?.join("\0") ||
      !other.types.has("string") ||
      other.choices.length > 0 ||
      !other.requiredInItem,
  );

/** For an excerpt of text as the value of a parameter. */
export function textOdds(
  { parameter, named, takes }: ParameterReading,
  excerpt: Excerpt,
  cue: Cue,
  readings: readonly ParameterReading[],
): number {
  const first = excerpt.words[0]!;
  // "the remedy arnica": what a word announces goes without it.
  const labelled = first.kind === "word" && !first.capital && excerpt.size > 1;
  if (labelled && parameter.stems.includes(first.stem)) return -explicitLogOdds / 4;
  if (cue === "amount") {
    const unit = unitOf(first.lower) !== undefined || scales.has(first.lower);
    // "20 USD to EUR", "2 cups in tablespoons"
    const asked = named === "currency" ? isNamed(excerpt.text, named) : unit && takes.unit;
    if (asked)
      return parameter.direction === undefined
        ? 0
        : parameter.direction === "origin"
          ? explicitLogOdds
          : -explicitLogOdds;
    // "2 gallons of sky blue": the unit belongs to the number.
    if (unit) return -explicitLogOdds;
    // "10 x K-12": of which there are so many.
    if (excerpt.kind === "literal" && readings.some((other) => isItem(other.parameter, readings)))
      return isItem(parameter, readings) ? explicitLogOdds : -explicitLogOdds;
    // "100 envelopes" for `lines[].item` beside `lines[].count`
    if (excerpt.closes && isOnlyTextOfItem(parameter, readings)) return explicitLogOdds;
  }
  if (isKindOf(excerpt, parameter)) return explicitLogOdds;
  if (isColour(excerpt, parameter)) return 2 * explicitLogOdds;
  if (takes.cue === "reason" && cue !== "reason") {
    // "with Dr. Roth", "4.1 kg" say not why.
    if (excerpt.kind === "number" || isTitled(excerpt)) return -explicitLogOdds;
    // "for a dental check"
    if (excerpt.preposition === "for" && excerpt.kind === "phrase" && excerpt.opens && excerpt.closes)
      return explicitLogOdds / 2;
  }
  if (cue === undefined || cue === "amount" || readings.every((other) => other.takes.cue !== cue)) return 0;
  if (cue === "maker") return takes.cue === cue ? explicitLogOdds / 2 : -explicitLogOdds / 2;
  if (takes.cue !== cue) return -explicitLogOdds;
  if (cue === "name") return excerpt.closes ? 2 * explicitLogOdds : explicitLogOdds;
  // "saying 'We open on Sunday'"
  return excerpt.shape === "tail" ? 2 * explicitLogOdds : excerpt.kind === "quoted" ? explicitLogOdds : 0;
}

/** "a red tag" for `color` */
const isColour = ({ words, size }: Excerpt, { words: own }: Parameter): boolean =>
  size === 1 && words[0]!.kind === "word" && colours.has(words[0]!.lower) && /^colou?r$/.test(own.at(-1) ?? "");
const colours: ReadonlySet<string> = new Set(
  "red green blue yellow orange purple pink brown black white grey gray teal cyan magenta turquoise violet indigo".split(
    " ",
  ),
);

/** "Dr. Roth", "Mrs Lund" */
const isTitled = ({ words }: Excerpt) =>
  words.length > 1 && words[0]!.capital && /^(?:dr|mr|mrs|ms|miss|prof|professor|doctor)$/.test(words[0]!.lower);

/** "bedroom" is a room, "postcode" a code. */
function isKindOf({ words }: Excerpt, { words: own }: Parameter): boolean {
  const noun = own.at(-1) ?? "";
  const last = words.at(-1)!;
  // "Dr. Anders" is a doctor.
  const title = words.length > 1 && words[0]!.capital ? spelledOut.get(words[0]!.lower) : undefined;
  if (title !== undefined && own.includes(title)) return true;
  return (
    noun.length > 3 &&
    !nameWords.has(noun) &&
    last.kind === "word" &&
    last.noun.length > noun.length + 1 &&
    last.noun.endsWith(noun)
  );
}
