import type { Profile } from "../../catalogue/profile.ts";
import { closesPhrase } from "../../language/clauses/from-to.ts";
import { isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import {
  conjunctions,
  emptyNouns,
  identifierWords,
  nameWords,
  prepositions,
  superlatives,
} from "../../language/text/lexicon.ts";
import { sameStem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { identifies } from "../segmenting/identified.ts";
import type { Excerpt } from "./excerpts.ts";
import { isAbout, isDescribedAs, isFolderNoun, isLabelOf, namersOf, takesFolder, tellingOf } from "./named-by.ts";
import type { ParameterReading } from "./parameter-reading.ts";

/** What the words beside a value call it: "crate C012", "the plot north", "the summer branch". */
export interface Labels {
  /** Stem of the noun right before it. */
  readonly before?: string;
  /** The noun is written in capitals: it may be the initials of what it means ("PR 15"). */
  readonly initials?: string;
  /** Stem of the noun right after it, with an article before the value. */
  readonly after?: string;
  /** How much the value looks like one rather than like a word of a sentence: 0 to 1. */
  readonly written: number;
  /** One word, name or quotation that ends its run of words, with the noun right before it: "plot north". */
  readonly apposed: boolean;
  /** A word that tells of the noun before it and is not a value: "identified as". */
  readonly telling: boolean;
  /** A plain word in small letters that no resource mentions: beside the name of a parameter it can only be a value. */
  readonly strange: boolean;
  /** Stem of the value where it is one plain word behind "with the label", "labelled" or "whose label is". */
  readonly introduced?: string;
  /** Stem of the first of two words of the value: "plot north" is not a name. */
  readonly first?: string;
}

const between: ReadonlySet<string> = new Set([
  "#",
  ":",
  "=",
  "id",
  "ids",
  "number",
  "no",
  "named",
  "called",
  "name",
  "is",
]);

/**
 * What is beside an excerpt. O(1).
 * @param knows whether some resource mentions a stem
 */
export function labelsOf(excerpt: Excerpt, tokens: readonly Token[], knows: (stem: string) => boolean): Labels {
  const { from, to, words } = excerpt;
  const isSet = tokens[from - 1]?.lower === "to" && tokens[from - 2]?.lower === "set";
  let at = isSet ? from - 3 : from - 1;
  for (let steps = 0; steps < 3 && at >= 0 && between.has(tokens[at]!.lower); steps += 1) at -= 1;
  const before = tokens[at];
  const after = tokens[to];
  const noun = (token: Token | undefined) =>
    token?.kind === "word" && isContent(token.lower) && !token.possessive ? token : undefined;
  // "Item XYZ" is a name as a whole, but "PR 15" is not.
  const isNone = isOfName(before, excerpt) || (before !== undefined && asks(before, tokens[at - 1]));
  const label = isNone ? undefined : noun(before);
  const initials = label !== undefined && /^\p{Lu}{2,4}s?$/u.test(label.text) ? label.lower : undefined;
  const article = tokens[from - 1];
  const framed = article === undefined || article.lower === "the" || prepositions.has(article.lower);
  const follower = framed ? noun(after) : undefined;
  const isBeside = at === from - 1 || isEquated(tokens, at, from);
  return {
    ...(label !== undefined && { before: label.stem }),
    ...(initials !== undefined && { initials }),
    ...(follower !== undefined && { after: follower.stem }),
    written: writtenness(words, excerpt),
    apposed: label !== undefined && isBeside && excerpt.closes && isOneValue(excerpt),
    telling: label !== undefined && at === from - 1 && tellsOfNoun(words[0]!, after),
    strange:
      isPlainWord(words) &&
      (isStrange(words[0]!, knows) || isStrangePlural(words[0]!, tokens, at, tokens[to], knows)) &&
      (after?.lower !== "of" || isPart(tokens, at)),
    ...(isPlainWord(words) &&
      isBeside &&
      (at < from - 1 || isIntroduced(tokens, at)) &&
      closesPhrase(after) && { introduced: words[0]!.stem }),
    ...(words.length === 2 &&
      words[0]!.kind === "word" &&
      !words[0]!.capital &&
      /\s/.test(excerpt.text) && { first: words[0]!.stem }),
  };
}

/** The verb of a request. */
const asks = ({ lower }: Token, last: Token | undefined) =>
  isVerb(lower) && (last === undefined || last.kind !== "word" || conjunctions.has(last.lower));

const isOfName = (before: Token | undefined, { words }: Excerpt) =>
  before?.capital === true && !/^\p{Lu}{2,4}s?$/u.test(before.text) && words[0]!.capital;

const isPlainWord = (words: readonly Token[]) => words.length === 1 && words[0]!.kind === "word" && !words[0]!.capital;

const isStrange = ({ lower, stem }: Token, knows: (stem: string) => boolean) =>
  !knows(stem) && !emptyNouns.has(lower) && !superlatives.has(lower) && !/(?:[^s]s|[ai]ble)$/.test(lower);

/** "of the index orders", "in index orders": plural words behind a noun with a preposition are the name of that one thing, where nothing speaks of such things. */
const isStrangePlural = (
  { lower, stem }: Token,
  tokens: readonly Token[],
  noun: number,
  after: Token | undefined,
  knows: (stem: string) => boolean,
) =>
  isPart(tokens, noun) &&
  !knows(stem) &&
  /[^s]s$/.test(lower) &&
  (after === undefined || after.kind !== "word" || !isContent(after.lower));

function isPart(tokens: readonly Token[], noun: number): boolean {
  const before = tokens[noun - 1]?.lower === "the" ? tokens[noun - 2] : tokens[noun - 1];
  return before !== undefined && prepositions.has(before.lower);
}

/** "identified as", "resulting from", "the book name": such words tell of the noun before them. */
const tellsOfNoun = ({ kind, lower, capital }: Token, after: Token | undefined) =>
  kind === "word" &&
  !capital &&
  (nameWords.has(lower) ||
    identifierWords.has(lower) ||
    /^(?:according|depending)$/.test(lower) ||
    (/..(?:ed|ing)$/.test(lower) && after?.kind === "word" && !conjunctions.has(after.lower)));

/** "whose colour is red", "where colour = red", "with colour: red". */
function isEquated(tokens: readonly Token[], at: number, from: number): boolean {
  // "with the label set to red"
  if (from - at === 3 && tokens[at + 1]!.lower === "set" && tokens[at + 2]!.lower === "to") return true;
  if (from - at !== 2) return false;
  if (/^[=:]$/.test(tokens[from - 1]!.text)) return true;
  // "the content of the label is …" says what the content is.
  const opens = tokens[at - 1]?.lower === "the" ? at - 2 : at - 1;
  return tokens[from - 1]!.lower === "is" && /^(?:whose|where|when|and|or|their)$/.test(tokens[opens]?.lower ?? "");
}

/** "with the label bug", "labelled bug": the noun before says what the word is, and belongs to no other phrase. */
function isIntroduced(tokens: readonly Token[], at: number): boolean {
  if (/.[lg]ed$/.test(tokens[at]?.lower ?? "")) return true;
  const article = tokens[at - 1]?.lower === "the" ? 1 : 0;
  return /^(?:with|having|under)$/.test(tokens[at - 1 - article]?.lower ?? "");
}

const isOneValue = ({ kind, text }: Excerpt) =>
  kind === "quoted" || kind === "literal" || kind === "name" || !/\s/.test(text);

/** Values that are not words weigh fully; of words, names and quotations others things may be meant. */
const weightOfWords = 0.25;
/** A word beside the very name of a parameter, or beside a kind of thing that another parameter chooses, can be nothing else. */
const weightOfApposition = 0.8;
/** What no resource mentions cannot belong to the noun in another way. */
const weightOfStrangeWord = 1.6;

function writtenness(words: readonly Token[], { kind, size, text }: Excerpt): number {
  if (kind === "literal") return 1;
  const [first] = words;
  if (first === undefined) return 0;
  if (words.length === 1 && first.kind === "word" && /\p{Ll}\p{Lu}|[\d_]/u.test(first.text)) return 1;
  if (kind === "quoted" || kind === "number" || kind === "name") return weightOfWords;
  return first.kind === "word" && (size === 1 || !/\s/.test(text)) ? weightOfWords : 0;
}

/** What a word of a name counts that is not its last. Set by hand. */
const fartherWordShare = 0.6;

/** The label is what the parameter is called after, the last of its telling words weighing most: 0 to 1. */
function named(reading: ParameterReading, label: string | undefined): number {
  if (label === undefined) return 0;
  const telling = tellingOf(reading);
  const at = telling.findIndex((each) => sameStem(each, label));
  if (at < 0) return 0;
  return at === telling.length - 1 ? 1 : fartherWordShare;
}

/** "PR" for `pull_request`. */
function abbreviates(initials: string | undefined, words: readonly string[]): boolean {
  if (initials === undefined) return false;
  const short = initials.replace(/s$/, "");
  return words.some(
    (_, at) =>
      words
        .slice(at, at + short.length)
        .map((word) => word[0])
        .join("") === short,
  );
}

/** A name after a value says less than one before it. Set by hand. */
const nameAfterShare = 0.7;
/** What initials, or the noun of the tool, say of a parameter beside its whole name. Set by hand. */
const partialName = 0.8;

/**
 * How much the words beside a value speak for a parameter: 1 and more where they name it, -1 where they name another one, half of it
 * for a plain word; 0 where they say nothing. O(parameters).
 */
export function labelAgreement(
  reading: ParameterReading,
  labels: Labels,
  readings: readonly ParameterReading[],
  profile: Profile,
): number {
  const { first, before, after, apposed, telling, introduced, written } = labels;
  // "the deployment web": the noun tells what is named.
  if (
    first !== undefined &&
    (readings.some((other) => isLabelOf(other, first)) || namersOf(first, readings, profile).length > 0)
  )
    return -weightOfApposition;
  if (telling && before !== undefined && isLabelOf(reading, before)) return -weightOfApposition;
  if (written === 0) return 0;
  const identified = written === 1 ? idAgreement(reading, before, readings, profile) : 0;
  if (identified !== 0) return identified;
  if (apposed && !telling && before !== undefined) {
    const isLabel = (word: string) => readings.some((other) => other.parameter.stems.includes(word));
    const strange = labels.strange || (introduced !== undefined && !isLabel(introduced));
    const weight =
      strange && (!reading.parameter.isIdentifier || isDescribedAs(reading, before))
        ? weightOfStrangeWord
        : weightOfApposition;
    if (isLabelOf(reading, before)) return weight;
    if (readings.some((other) => isLabelOf(other, before))) return -weightOfApposition;
    const namers = namersOf(before, readings, profile);
    if (namers.length > 0) return namers.includes(reading) ? weight : -weightOfWords;
  }
  // "in the src folder"
  if (labels.strange && before === undefined && isFolderNoun(after) && takesFolder(reading))
    return nameAfterShare * weightOfStrangeWord;
  const score = (other: ParameterReading) => {
    const own = Math.max(named(other, before), nameAfterShare * named(other, after));
    if (own > 0) return own;
    const initials = abbreviates(labels.initials, [...other.parameter.words, ...profile.nameWords]);
    if (initials && other.parameter.words.some((word) => labels.initials?.startsWith(word[0]!))) return partialName;
    return tellingOf(other).length === 0 && namesSomething(other) && isAbout(profile, before, readings)
      ? partialName
      : 0;
  };
  const own = score(reading);
  const rival = Math.max(0, ...readings.filter((other) => other !== reading).map(score));
  return written * (own >= rival ? own : own - rival);
}

const namesSomething = ({ parameter }: ParameterReading) => parameter.words.at(-1) === "name" || parameter.isIdentifier;

/** How much the noun before an id speaks for the parameter that holds ids of just such things, and against those of others; else 0. */
function idAgreement(
  { parameter }: ParameterReading,
  noun: string | undefined,
  readings: readonly ParameterReading[],
  profile: Profile,
): number {
  if (noun === undefined || !readings.some((other) => identifies(other.parameter, noun, profile))) return 0;
  return identifies(parameter, noun, profile) ? 1 : parameter.isIdentifier ? -1 : 0;
}
