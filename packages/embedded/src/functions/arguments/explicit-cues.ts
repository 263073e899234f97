import type { Parameter } from "../../catalogue/parameter.ts";
import { nameWords, scales } from "../../language/text/lexicon.ts";
import { isNamed } from "../../language/text/locale-names.ts";
import { numberWords } from "../../language/text/number-words.ts";
import type { Token } from "../../language/text/token.ts";
import { unitOf } from "../../language/text/units.ts";
import type { Reading } from "./features.ts";
import type { Stretch } from "./stretches.ts";

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

/** What kinds of things said outright a parameter takes; read once. */
export interface Takes {
  readonly bound: Bound;
  readonly share: boolean;
  readonly lasts: boolean;
  readonly counts: boolean;
  readonly unit: boolean;
  /** Which cue announces its text. */
  readonly cue: "maker" | "name" | "message" | "reason" | undefined;
}

export function takesOf(parameter: Parameter, textual: boolean): Takes {
  const name = parameter.words.join(" ");
  const cues = { maker: makers, name: /\b(?:name|title|label)$/, message: messages, reason: reasons };
  const cue = Object.entries(cues).find(([, words]) => textual && words.test(name))?.[0] as Takes["cue"];
  return {
    bound: boundHeld(parameter),
    share: /\bpercent(?:age)?\b|%/i.test(`${name} ${parameter.description}`),
    lasts: /\b(?:years?|months?|weeks?|days?|hours?|minutes?|seconds?|duration|age)\b/.test(name),
    counts: /\b(?:count|quantity|limit|n)$/.test(name),
    unit: /\bunits?$/.test(name),
    cue,
  };
}

const makers =
  /\b(?:author|artist|writer|creator|composer|director|singer|band|painter|publisher|maker|manufacturer|brand|by)$/;
const messages = /\b(?:message|text|body|content)$/;
const reasons = /\b(?:reason|cause|justification|explanation|rationale|why)\b/;

/** What a number's own words say of it. */
export interface SaidOfNumber {
  readonly bound: Bound;
  readonly share: boolean;
  readonly money: boolean;
  /** It counts what the call is named after. */
  readonly counted: boolean;
}

export function saidOf(stretch: Stretch, tokens: readonly Token[], names: ReadonlySet<string>): SaidOfNumber {
  return {
    bound: boundOf(tokens, stretch.from, stretch.to),
    share: stretch.unit === "%" || tokens[stretch.to]?.lower === "percent",
    money: /[$€£¥]/.test(stretch.text),
    counted: stretch.after.some((each) => names.has(each)),
  };
}

/** For a number as the value of a parameter: do bounds, per cent and money agree, and is it what the call counts? */
export function numberOdds({ takes }: Reading, said: SaidOfNumber, readings: readonly Reading[]): number {
  let odds = said.bound === undefined || takes.bound === undefined ? 0 : said.bound === takes.bound ? sure : -sure;
  if (said.share && readings.some((other) => other.takes.share)) odds += takes.share ? sure : -sure;
  if (said.money && (takes.share || takes.lasts)) odds -= sure;
  return said.counted && takes.counts ? odds + sure : odds;
}

/** What stands right before a stretch of text and tells what it is. */
export type Cue = "amount" | Takes["cue"];

const naming: ReadonlySet<string> = new Set("called named titled labelled labeled entitled".split(" "));

export function cueOf({ from, kind }: Stretch, tokens: readonly Token[]): Cue {
  const before = tokens[from - 1];
  if (before === undefined) return undefined;
  if (kind !== "number" && (before.kind === "number" || numberWords(tokens, from - 1) !== undefined)) return "amount";
  if (before.lower === "by" && tokens[from]!.capital) return "maker";
  if (naming.has(before.lower)) return "name";
  if (opensSaying(tokens, from)) return "message";
  return opensReason(tokens, from) ? "reason" : undefined;
}

/** For a stretch of text as the value of a parameter. */
export function textOdds(
  { parameter, named, takes }: Reading,
  stretch: Stretch,
  cue: Cue,
  readings: readonly Reading[],
): number {
  const first = stretch.words[0]!;
  // "the remedy arnica": what a word announces goes without it.
  const labelled = first.kind === "word" && !first.capital && stretch.size > 1;
  if (labelled && parameter.stems.includes(first.stem)) return -sure / 4;
  if (cue === "amount") {
    const unit = unitOf(first.lower) !== undefined || scales.has(first.lower);
    // "20 USD to EUR", "2 cups in tablespoons"
    const asked = named === "currency" ? isNamed(stretch.text, named) : unit && takes.unit;
    if (asked) return parameter.direction === undefined ? 0 : parameter.direction === "origin" ? sure : -sure;
    // "2 gallons of sky blue": the unit belongs to the number.
    if (unit) return -sure;
  }
  if (isKindOf(stretch, parameter)) return sure;
  if (cue === undefined || cue === "amount" || readings.every((other) => other.takes.cue !== cue)) return 0;
  if (cue === "maker") return takes.cue === cue ? sure / 2 : -sure / 2;
  if (takes.cue !== cue) return -sure;
  if (cue === "name") return stretch.closes ? 2 * sure : sure;
  return stretch.shape === "tail" ? 2 * sure : 0;
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

/** "saying we are late", "tell Anna that we are late" */
export function opensSaying(tokens: readonly Token[], at: number): boolean {
  const [word, before] = [tokens[at - 1], tokens[at - 2]];
  if (word?.lower === "saying") return true;
  if (word?.lower !== "that" || before === undefined) return false;
  return (
    before.kind === "literal" || before.capital || /^(?:me|him|her|them|us|everyone|everybody)$/.test(before.lower)
  );
}

/** "because", "due to", "because of" stand right before. */
export function opensReason(tokens: readonly Token[], at: number): boolean {
  const [first, second] = [tokens[at - 1]?.lower, tokens[at - 2]?.lower];
  return first === "because" || (first === "to" && second === "due") || (first === "of" && second === "because");
}
