import type { Parameter } from "../schema/parameter.ts";
import { nameWords, scales } from "../text/lexicon.ts";
import { numberWords } from "../text/number-words.ts";
import type { Token } from "../text/token.ts";
import { isTextual, type Reading } from "./features.ts";
import type { Stretch } from "./stretches.ts";
import { unitOf } from "./units.ts";
import { isNamed } from "./world.ts";

/**
 * Log-odds for what a goal says outright: bounds, names after "called", reasons after "because", the currency of an
 * amount. Set by hand: benchmarks say these too seldom to learn them from, and nobody means anything else by them.
 */
export const sure = 4;

/** Which side of a range a number bounds. */
export type Bound = "low" | "high" | undefined;

const lowWords =
  /(?:\bat least|\bno(?:t)? (?:less|fewer) than|\bminimum(?: of)?|\bmin|\b(?:more|greater|higher|larger|bigger|longer) than|\bover|\babove|\bexceeding|\bstarting (?:at|from)|\bupwards of)$/;
const highWords =
  /(?:\bat most|\bno(?:t)? (?:more|greater|higher|longer) than|\bmaximum(?: of)?|\bmax|\b(?:less|fewer|lower|cheaper|smaller|shorter) than|\bunder|\bbelow|\bup to|\bnot exceeding|\bwithin)$/;

/** The bound that the words around a number make of it: "at least 5", "between 5 and 7", "5 or more". O(1). */
export function boundOf(tokens: readonly Token[], from: number, to: number): Bound {
  const before = wordsBefore(tokens, from);
  const after = tokens.slice(to, to + 4).map(({ lower }) => lower);
  const rest = after.join(" ");
  if (/^(?:\S+ )?(?:or|and) (?:more|above|over|higher|up)\b|^(?:minimum|min)\b/.test(rest)) return "low";
  if (/^(?:\S+ )?or (?:less|fewer|under|below|lower)\b|^(?:maximum|max|tops)\b/.test(rest)) return "high";
  if (goesOn(tokens, to, before)) return "low";
  if (closesRange(tokens, from)) return "high";
  if (/\bnot? (?:less|fewer) than$/.test(before)) return "low";
  if (highWords.test(before)) return "high";
  return lowWords.test(before) ? "low" : undefined;
}

function wordsBefore(tokens: readonly Token[], from: number): string {
  const near = tokens
    .slice(Math.max(0, from - 4), from)
    .filter(({ lower }) => !/^(?:a|an|the|about|of|roughly)$/.test(lower));
  return near.map(({ lower }) => lower).join(" ");
}

/** The first number of "5 to 7", "5 - 7", "between 5 and 7", with a unit or none after it. */
function goesOn(tokens: readonly Token[], to: number, before: string): boolean {
  const link = tokens.slice(to, to + 2).findIndex(({ lower }) => links(before).has(lower));
  return link >= 0 && tokens[to + link + 1]?.kind === "number";
}

/** The second one. */
function closesRange(tokens: readonly Token[], from: number): boolean {
  const first = [from - 2, from - 3].find((at) => tokens[at]?.kind === "number");
  return first !== undefined && links(wordsBefore(tokens, first)).has(tokens[from - 1]!.lower);
}

const ranging: ReadonlySet<string> = new Set(["to", "-", "–"]);
const between: ReadonlySet<string> = new Set([...ranging, "and"]);
const links = (before: string) => (/\bbetween$/.test(before) ? between : ranging);

const low = /\bmin(?:imum)?\b|\bleast\b|\blower\b|\bfloor\b|\bgte?\b|\babove\b/;
const high = /\bmax(?:imum)?\b|\bmost\b|\bupper\b|\bceiling\b|\blte?\b|\bbelow\b/;

/** Which side of a range a parameter bounds, by its name, else by its description. */
export function boundHeld({ words, description }: Parameter): Bound {
  for (const text of [words.join(" "), description.toLowerCase()]) {
    const [isLow, isHigh] = [low.test(text), high.test(text)];
    if (isLow !== isHigh) return isLow ? "low" : "high";
  }
  return undefined;
}

/** For a number as the value of a parameter: do bounds, per cent and money agree, and is it what the call counts? */
export function numberOdds(
  { parameter }: Reading,
  stretch: Stretch,
  tokens: readonly Token[],
  readings: readonly Reading[],
  names: ReadonlySet<string>,
): number {
  const said = boundOf(tokens, stretch.from, stretch.to);
  const held = boundHeld(parameter);
  let odds = said === undefined || held === undefined ? 0 : said === held ? sure : -sure;
  const share = stretch.unit === "%" || tokens[stretch.to]?.lower === "percent";
  if (share && readings.some((other) => isShare(other.parameter))) odds += isShare(parameter) ? sure : -sure;
  if (/[$€£¥]/.test(stretch.text) && (isShare(parameter) || lasting.test(parameter.words.join(" ")))) odds -= sure;
  const counted = stretch.after.some((each) => names.has(each));
  if (counted && /^(?:count|quantity|limit|n)$/.test(parameter.words.at(-1) ?? "")) odds += sure;
  return odds;
}

const lasting = /\b(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|duration|age)\b/;
const isShare = ({ words, description }: Parameter) =>
  /\bpercent(?:age)?\b|%/i.test(`${words.join(" ")} ${description}`);

const naming: ReadonlySet<string> = new Set("called named titled labelled labeled entitled".split(" "));
const isNameLike = ({ words }: Parameter) => /^(?:name|title|label)$/.test(words.at(-1) ?? "");
const reasons = /\b(?:reason|cause|justification|explanation|rationale|why)\b/;

/** For a stretch of text as the value of a parameter. */
export function textOdds(
  { parameter, named }: Reading,
  stretch: Stretch,
  tokens: readonly Token[],
  readings: readonly Reading[],
): number {
  const before = tokens[stretch.from - 1];
  if (before === undefined) return 0;
  const first = tokens[stretch.from]!;
  // "the remedy arnica": what a word announces goes without it.
  const labelled = first.kind === "word" && !first.capital && stretch.size > 1;
  if (labelled && parameter.stems.includes(first.stem)) return -sure / 4;
  const measured =
    (before.kind === "number" || numberWords(tokens, stretch.from - 1) !== undefined) && stretch.kind !== "number";
  const unit = unitOf(first.lower) !== undefined || scales.has(first.lower);
  // "20 USD to EUR", "2 cups in tablespoons"
  const asked =
    named === "currency" ? isNamed(stretch.text, "currency") : unit && /\bunits?$/.test(parameter.words.join(" "));
  if (measured && asked) return parameter.direction === undefined ? 0 : parameter.direction === "origin" ? sure : -sure;
  // "2 gallons of sky blue": the unit belongs to the number.
  if (measured && unit) return -sure;
  if (before.lower === "by" && first.capital && readings.some((other) => isMaker(other.parameter)))
    return isMaker(parameter) ? sure / 2 : -sure / 2;
  if (isKindOf(stretch, parameter)) return sure;
  if (naming.has(before.lower) && readings.some((other) => isTextual(other.parameter) && isNameLike(other.parameter)))
    return isNameLike(parameter) ? (stretch.closes ? 2 : 1) * sure : -sure;
  if (opensSaying(tokens, stretch.from) && readings.some((other) => isMessage(other.parameter)))
    return isMessage(parameter) ? (stretch.shape === "tail" ? 2 * sure : 0) : -sure;
  if (opensReason(tokens, stretch.from) && readings.some((other) => isReason(other.parameter))) {
    if (!isReason(parameter)) return -sure;
    return stretch.shape === "tail" ? 2 * sure : 0;
  }
  return 0;
}

/** "bedroom" is a room, "postcode" a code. */
function isKindOf({ words }: Stretch, { words: own }: Parameter): boolean {
  const noun = own.at(-1) ?? "";
  const last = words.at(-1)!;
  return (
    noun.length > 3 &&
    !nameWords.has(noun) &&
    last.kind === "word" &&
    last.noun.length > noun.length + 1 &&
    last.noun.endsWith(noun)
  );
}

const isMessage = (parameter: Parameter) =>
  isTextual(parameter) && /\b(?:message|text|body|content)$/.test(parameter.words.join(" "));

/** "saying we are late", "tell Anna that we are late" */
export function opensSaying(tokens: readonly Token[], at: number): boolean {
  const [word, before] = [tokens[at - 1], tokens[at - 2]];
  if (word?.lower === "saying") return true;
  if (word?.lower !== "that" || before === undefined) return false;
  return (
    before.kind === "literal" || before.capital || /^(?:me|him|her|them|us|everyone|everybody)$/.test(before.lower)
  );
}

const makers =
  /\b(?:author|artist|writer|creator|composer|director|singer|band|painter|publisher|maker|manufacturer|brand|by)$/;
const isMaker = (parameter: Parameter) => isTextual(parameter) && makers.test(parameter.words.join(" "));

const isReason = (parameter: Parameter) => isTextual(parameter) && reasons.test(parameter.words.join(" "));

/** "because", "due to", "because of" stand right before. */
export function opensReason(tokens: readonly Token[], at: number): boolean {
  const [first, second] = [tokens[at - 1]?.lower, tokens[at - 2]?.lower];
  return first === "because" || (first === "to" && second === "due") || (first === "of" && second === "because");
}
