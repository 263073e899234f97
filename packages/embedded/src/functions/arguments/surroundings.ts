import { holdsExclusion } from "../../catalogue/holds-exclusion.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { shapeOf } from "../../catalogue/value-shape.ts";
import { isOutcome } from "../../language/clauses/changes.ts";
import type { Vocabulary } from "../../language/clauses/clauses.ts";
import { nounOfContent } from "../../language/clauses/content-clauses.ts";
import { isVerb } from "../../language/text/actions.ts";
import { isContent } from "../../language/text/content-words.ts";
import { conjunctions, determiners, prepositions } from "../../language/text/lexicon.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { nounOfId, nounOfOwned } from "../segmenting/named-ids.ts";
import { addressEnd } from "./addresses.ts";
import { endHeld, endSaid, isPairedEnd } from "./ends.ts";
import type { Excerpt } from "./excerpts.ts";
import { isExcluded } from "./exclusions.ts";
import { isMeasured } from "./explicit-cues.ts";
import { labelsOf } from "./labels.ts";
import type { ParameterReading } from "./parameter-reading.ts";
import { attributeSet } from "./set-attributes.ts";
import { isBeforeLabelled, isCount } from "./text-cues.ts";
import { maxTopicTokens, topicAt } from "./topics.ts";

/** What an excerpt is, in units of `explicitLogOdds` for a value that is just this. Set by hand. */
const shares = {
  wholeAddress: 1.5,
  partOfAddress: 0.75,
  /** "save it as" before a quotation, a name or a literal. */
  writtenTitle: 0.75,
  /** "save it as" before a word that no resource mentions. */
  strangeTitle: 1.5,
} as const;
/** An address has at most this many tokens. */
const maxAddressTokens = 12;

/** What an excerpt and the words around it say, whatever parameter it is for. */
export type ExcerptSurroundings = ReturnType<typeof readSurroundings>;

/** Reads what is said of an excerpt. O(parameters). */
export function readSurroundings(
  excerpt: Excerpt,
  tokens: readonly Token[],
  readings: readonly ParameterReading[],
  profile: Profile,
  vocabulary: Vocabulary,
  knows: (stem: string) => boolean,
) {
  const shape = shapeOf(excerpt);
  const end = endSaid(excerpt, tokens);
  const isRenamed = excerpt.preposition === "to" && tokens.some(({ lower }) => /^(?:rename|retitle)$/.test(lower));
  return {
    ...{ excerpt, tokens, readings, profile, shape, end },
    labels: labelsOf(excerpt, tokens, knows),
    /** How many parameters take values of its shape. */
    takers: shape === undefined ? 0 : readings.filter((each) => each.shapes.has(shape)).length,
    isEndHeld: end !== undefined && readings.some(({ parameter }) => endHeld(parameter) === end),
    isPairedEnd: isPairedEnd(
      excerpt,
      tokens,
      readings.map(({ parameter }) => parameter),
    ),
    isNewName: isStrangeWord(excerpt, knows) && isOutcome(tokens, excerpt.from),
    isExcluded: readings.some(({ parameter }) => holdsExclusion(parameter)) && isExcluded(tokens, excerpt.from),
    topic: topicWeight(excerpt, tokens, profile),
    isPlace: placeSaid(excerpt, knows),
    isInstruction: isRequest(excerpt, vocabulary) || isOrdering(excerpt),
    isRecipient: excerpt.kind === "phrase" && excerpt.preposition === "to",
    address: addressWeight(excerpt, tokens),
    /** No parameter takes a part of an address. */
    isWholeAddress: readings.every(({ parameter }) => !holdsPartOfAddress(parameter)),
    cut: cutsTitle(excerpt, tokens, knows)
      ? titleCut
      : cutsName(excerpt, tokens, vocabulary)
        ? 1
        : cutAtOf(excerpt, tokens),
    isTitle: isWholeTitle(excerpt, tokens, knows),
    title: titleWeight(excerpt, tokens, knows),
    noun: excerpt.shape === "tail" ? nounOfContent(tokens, excerpt.from) : undefined,
    isListed: isListed(excerpt, tokens),
    identified: nounOfId(tokens, excerpt.from),
    owned: nounOfOwned(tokens, excerpt.from),
    attribute: attributeSet(tokens, excerpt.from),
    isLink: excerpt.kind === "literal" && excerpt.text.includes("://"),
    isMeasured: isMeasured(excerpt, tokens),
    isCounted: isCount(excerpt, tokens),
    isRenamed: isRenamed && readings.some(({ takes }) => takes.cue === "name"),
    isKnownThing: isDefiniteNoun(excerpt, tokens, knows),
    endsInLabel: isBeforeLabelled(excerpt, tokens, readings),
    guided: guidedIds(excerpt, tokens, readings),
    isJoined: excerpt.kind === "literal" && readings.some(takesTexts) && isJoinedLiteral(excerpt, tokens),
  };
}

/** "the components A, B and C": a list takes them all. */
const isListed = ({ kind, text, to }: Excerpt, tokens: readonly Token[]): boolean =>
  (/^(?:,|and|or)$/.test(tokens[to]?.lower ?? "") && !isOrdering({ words: tokens.slice(to + 1, to + 3) })) ||
  (kind === "quoted" && text.includes(","));

/**
 * How much an excerpt is what is sought for; below 0 for a part of it. What a tool is about anyway is not a subject: "search for songs" of
 * `search_songs`.
 */
function topicWeight({ from, to, words }: Excerpt, tokens: readonly Token[], { nameWords, about }: Profile): number {
  const own = nameWords.map(stem);
  if (words.every(({ stem: each }) => own.some((other) => sameStem(each, other)))) return 0;
  for (let at = from - 1; at >= 0 && from - at <= maxTopicTokens; at -= 1) {
    const found = topicAt(tokens, at);
    if (found === undefined || found.to < to || found.from > from) continue;
    // "the pilot Maria Lopez" of `search_pilots`: the noun says what is sought for, the name which one.
    const isNoun = own.some((other) => sameStem(tokens[found.from]!.stem, other)) && tokens[found.from + 1]?.capital;
    // "repositories called planner"
    const isCalled =
      (about.has(tokens[found.from]!.stem) || own.some((other) => sameStem(tokens[found.from]!.stem, other))) &&
      /^(?:called|named|titled|entitled)$/.test(tokens[found.from + 1]?.lower ?? "") &&
      found.to > found.from + 2;
    const topic = { ...found, from: found.from + (isCalled ? 2 : Number(isNoun === true)) };
    return topic.from === from && topic.to === to ? topic.weight : -topic.weight / 2;
  }
  return 0;
}

/** "of the database": a common noun that tools mention, behind an article and at the end of its phrase, says of what kind a thing is and not which one. */
function isDefiniteNoun(
  { words, kind, from, to }: Excerpt,
  tokens: readonly Token[],
  knows: (stem: string) => boolean,
): boolean {
  const [only, more] = words;
  const [article, after] = [tokens[from - 1], tokens[to]];
  if (only === undefined || more !== undefined || kind !== "phrase" || only.kind !== "word") return false;
  const isPart = /^(?:in|of|from|on|within|inside)$/.test(tokens[from - 2]?.lower ?? "");
  const ends = after === undefined || after.kind !== "word" || prepositions.has(after.lower) || after.lower === "and";
  return article?.lower === "the" && isPart && ends && knows(only.stem);
}

const takesTexts = ({ parameter }: ParameterReading) =>
  parameter.takesList && !parameter.takesOne && parameter.types.has("string") && parameter.choices.length === 0;

/** A written value that is joined with another one: "A7 and B8". */
function isJoinedLiteral({ from, to }: Excerpt, tokens: readonly Token[]): boolean {
  const isLink = (token: Token | undefined) => /^(?:,|and|or)$/.test(token?.lower ?? "");
  return (
    (isLink(tokens[to]) && tokens[to + 1]?.kind === "literal") ||
    (isLink(tokens[from - 1]) && tokens[from - 2]?.kind === "literal")
  );
}

/**
 * "Lend 30128844 to 4400128", for a tool that lends a copy to a patron: the one parameter for an id which the description has behind the
 * same preposition, or right behind the verb as the value is behind the goal's.
 */
function guidedIds(
  { kind, from, preposition }: Excerpt,
  tokens: readonly Token[],
  readings: readonly ParameterReading[],
): ParameterReading | undefined {
  if (kind !== "number" && kind !== "literal") return undefined;
  const ids = readings.filter(({ parameter }) => parameter.isIdentifier);
  if (ids.length < 2) return undefined;
  const before = tokens[from - 1];
  const isObject = preposition === "" && before?.kind === "word" && isVerb(before.lower);
  if (preposition === "" && !isObject) return undefined;
  const fitting = ids.filter(({ guides, isObject: first }) => (isObject ? first : guides.has(preposition)));
  return fitting.length === 1 ? fitting[0] : undefined;
}

/** "oldest first" tells in which order things are to come. */
export const isOrdering = ({ words }: Pick<Excerpt, "words">): boolean =>
  words.length > 1 && words.at(-1)!.lower === "first" && /(?:est|most)$/.test(words[0]!.lower);

/** Such a parameter takes a part of an address. */
const holdsPartOfAddress = ({ words }: Parameter) =>
  words.some((word) => /^(?:city|town|state|zip|postal|postcode|street|house)$/.test(word));

/** A whole address: above 0; a part of one: below. */
function addressWeight({ from, to }: Excerpt, tokens: readonly Token[]): number {
  for (let at = from; at >= 0 && from - at <= maxAddressTokens; at -= 1) {
    const end = addressEnd(tokens, at);
    if (end !== undefined && end > from)
      return at === from && end === to ? shares.wholeAddress : end >= to ? -shares.partOfAddress : 0;
  }
  return 0;
}

/** "save it as X", "install it as X" give a name; at the end of a clause, a plain word that no resource mentions can only be a name. */
function titleWeight(
  { from, to, words, kind, size }: Excerpt,
  tokens: readonly Token[],
  knows: (stem: string) => boolean,
): number {
  if (tokens[from - 1]?.lower !== "as" || from < 2) return 0;
  if (kind === "quoted" || kind === "name" || kind === "literal") return shares.writtenTitle;
  const after = tokens[to];
  const ends = after === undefined || after.kind !== "word" || prepositions.has(after.lower);
  return ends && size === 1 && words[0]!.kind === "word" && !knows(words[0]!.stem) ? shares.strangeTitle : 0;
}

/** "Art" of "Museum of Art" is cut off fully; "Museum" may be meant alone ("Queen of Hearts"). */
function cutAtOf({ base, from, to }: Excerpt, tokens: readonly Token[]): number {
  if (base.kind !== "name" || to - from >= base.to - base.from || from < base.from || to > base.to) return 0;
  const of = tokens.findIndex(({ lower }, at) => at > base.from && at < base.to && lower === "of");
  return of < 0 ? 0 : from > of ? 1 : to === of ? 0.5 : 0;
}

/** "Jx4Qw", "JXqwErt": no word of a name. */
const isCode = /\d|\p{Lu}.*\p{Ll}.*\p{Lu}|\p{Ll}\p{Lu}/u;

/** A name of which a further word in capitals is right beside it: "New" of "New York". */
function cutsName({ from, to, kind, words }: Excerpt, tokens: readonly Token[], { verbs }: Vocabulary): boolean {
  if (kind !== "name" || !words.every(({ capital, text }) => capital && !isCode.test(text))) return false;
  const goesOn = (token: Token | undefined) => token?.kind === "word" && token.capital;
  const before = tokens[from - 1];
  const isOpening =
    before !== undefined && (isVerb(before.lower) || verbs.has(before.lower) || determiners.has(before.lower));
  return goesOn(tokens[to]) || (goesOn(before) && !isOpening && from > 1);
}

/** How much a title that is cut counts beside a name that is. */
const titleCut = 2.5;

/** Whether an excerpt is a part of a title: "Buy" of "the task Buy milk", where no resource knows the word after it. */
function cutsTitle({ from, to, kind }: Excerpt, tokens: readonly Token[], knows: (stem: string) => boolean): boolean {
  const [label, next] = [tokens[from - 1], tokens[to]];
  if (kind !== "name" || label?.kind !== "word" || label.capital || !isContent(label.lower)) return false;
  const goesOn = next?.kind === "word" && !next.capital && isContent(next.lower) && !isVerb(next.lower);
  return goesOn && !prepositions.has(next.lower) && !conjunctions.has(next.lower) && !knows(next.stem);
}

/** "Buy milk" of "the task Buy milk": such a title up to its last word. */
function isWholeTitle(
  { from, to, words }: Excerpt,
  tokens: readonly Token[],
  knows: (stem: string) => boolean,
): boolean {
  const [label, first, last, after] = [tokens[from - 1], tokens[from]!, tokens[to - 1]!, tokens[to]];
  if (label?.kind !== "word" || label.capital || !isContent(label.lower) || !first.capital || to - from < 2)
    return false;
  const isPlain = words.every(({ kind, capital }, at) => kind === "word" && (capital || at > 0));
  const ends = after === undefined || after.kind !== "word" || !isContent(after.lower) || after.capital;
  return isPlain && ends && !last.capital && !knows(last.stem) && !isVerb(last.lower);
}

/** "Find Greek …": the verb of a request belongs to no value, though a sentence begins with a capital. */
function isRequest({ kind, left, words }: Excerpt, { verbs }: Vocabulary): boolean {
  const { kind: sort, lower } = words[0]!;
  if (kind === "quoted" || left !== "edge" || sort !== "word") return false;
  return isVerb(lower) || verbs.has(lower);
}

/** A word that no resource mentions, after "in" or "on". */
const placeSaid = (excerpt: Excerpt, knows: (stem: string) => boolean): boolean =>
  /^(?:in|on)$/.test(excerpt.preposition) && isStrangeWord(excerpt, knows);

const isStrangeWord = ({ words, size }: Excerpt, knows: (stem: string) => boolean): boolean =>
  size === 1 && words[0]!.kind === "word" && !knows(words[0]!.stem);
