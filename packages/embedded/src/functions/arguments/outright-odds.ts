import { holdsExclusion } from "../../catalogue/holds-exclusion.ts";
import { idAgreement } from "../../catalogue/id-forms.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { shapeAgreement, shapeOf } from "../../catalogue/value-shape.ts";
import { isOutcome } from "../../language/clauses/changes.ts";
import type { Vocabulary } from "../../language/clauses/clauses.ts";
import { nounTold } from "../../language/clauses/content-clauses.ts";
import { isVerb } from "../../language/text/actions.ts";
import { contentWords, determiners, prepositions } from "../../language/text/lexicon.ts";
import { codeOf } from "../../language/text/locale-names.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { identifiedBy, identifies, identifiesAnother } from "../segmenting/identified.ts";
import { nounOfId } from "../segmenting/named-ids.ts";
import { objectOfTool } from "../segmenting/object-of-act.ts";
import { addressEnd } from "./addresses.ts";
import { holdsZone } from "./candidate-zones.ts";
import { codeAgreement } from "./code-values.ts";
import { endAgreement, endHeld, endSaid } from "./ends.ts";
import { formAgreement } from "./example-forms.ts";
import type { Excerpt } from "./excerpts.ts";
import { isExcluded } from "./exclusions.ts";
import { cueOf, explicitLogOdds, isMeasured, textOdds } from "./explicit-cues.ts";
import { fileAgreement } from "./file-fit.ts";
import { labelAgreement, labelsOf } from "./labels.ts";
import { isLabelOf } from "./named-by.ts";
import { holdsAmount, type ParameterReading } from "./parameter-reading.ts";
import { attributeAgreement, attributeSet } from "./set-attributes.ts";
import { isBeforeLabelled, isCount, isMarkedUp } from "./text-cues.ts";
import { holdsTopic, maxTopicTokens, topicAt } from "./topics.ts";

/**
 * How strongly each thing that is said outright speaks for a value or against it, in units of `explicitLogOdds`: 1 outweighs what is
 * learned, more than 1 also outweighs another rule. Set by hand; no bench says them often enough
 * to learn them from.
 */
const shares = {
  /** "without onions" for a parameter that excludes things. */
  exclusion: 1.5,
  /** "about these legal questions" for `question`. */
  subjectNoun: 1.5,
  /** Against a year without digits. */
  yearInWords: 2,
  /** A code, where the schema asks for codes. */
  code: 2,
  /** A text after the noun for it: "the message that …". */
  toldByNoun: 2,
  /** Against "#general" for an id. */
  tagForId: 3,
  /** Against an id that no noun and no preposition ties to what the parameter takes ids of. */
  looseId: 2,
  /** Against "crate 5" for a `depot_id`, where some tool takes ids of crates. */
  otherThingsId: 3,
  /** Against `html_text` where nobody speaks of HTML. */
  markup: 1,
  /** Against "8 €" and "5 crates" for an id. */
  measuredId: 3,
  /** For an id behind the preposition, or right behind the verb, that the description has before such a thing; and against others. */
  guidedId: 0.75,
  /** Against a name for an id that must be given and is only read by: it may be all that is known. */
  nameForId: 0.5,
  /** Against plain words for an id, and names where something is changed. */
  wordsForId: 1.5,
  /** Against "Example" of "Example University". */
  partOfName: 0.4,
  wholeAddress: 1.5,
  partOfAddress: 0.75,
  /** "save it as" before a quotation, a name or a literal. */
  writtenTitle: 0.75,
  /** "save it as" before a word that no resource mentions. */
  strangeTitle: 1.5,
} as const;
/** An excerpt that is named so clearly need not have the shape that its parameter takes. */
const minNameForShape = 0.8;
/** An address has at most this many tokens. */
const maxAddressTokens = 12;

/** What is said outright of one excerpt, for any parameter of its call: log-odds beside what is learned. */
export type OutrightOdds = (reading: ParameterReading) => number;

/**
 * Reads what the words of and around an excerpt say outright: how it is written, what it is called, which end of a change it is, that
 * it is to be left out, what a search is about. O(parameters) once, then O(parameters) a parameter.
 */
export function outrightOf(
  excerpt: Excerpt,
  tokens: readonly Token[],
  readings: readonly ParameterReading[],
  profile: Profile,
  vocabulary: Vocabulary,
  knows: (stem: string) => boolean,
): OutrightOdds {
  const cue = cueOf(excerpt, tokens);
  const shape = shapeOf(excerpt);
  const labels = labelsOf(excerpt, tokens, knows);
  const takers = shape === undefined ? 0 : readings.filter((each) => each.shapes.has(shape)).length;
  const end = endSaid(excerpt, tokens);
  const holders = end === undefined ? [] : readings.filter(({ parameter }) => endHeld(parameter) === end);
  const isNewName = isStrangeWord(excerpt, knows) && isOutcome(tokens, excerpt.from);
  const excluded = readings.some(({ parameter }) => holdsExclusion(parameter)) && isExcluded(tokens, excerpt.from);
  const topic = topicWeight(excerpt, tokens, profile);
  const place = placeSaid(excerpt, knows);
  const opensWithVerb = isRequest(excerpt, vocabulary);
  const ordering = isOrdering(excerpt);
  const isRecipient = excerpt.kind === "phrase" && excerpt.preposition === "to";
  const address = addressWeight(excerpt, tokens);
  const isWhole = readings.every(({ parameter }) => !holdsPartOfAddress(parameter));
  const cut = cutsName(excerpt, tokens, vocabulary) ? 1 : cutAtOf(excerpt, tokens);
  const titled = titleWeight(excerpt, tokens, knows);
  const told = excerpt.shape === "tail" ? nounTold(tokens, excerpt.from) : undefined;
  // "the components A, B and C": a list takes them all.
  const goesOn =
    (/^(?:,|and|or)$/.test(tokens[excerpt.to]?.lower ?? "") &&
      !isOrdering({ words: tokens.slice(excerpt.to + 1, excerpt.to + 3) })) ||
    (excerpt.kind === "quoted" && excerpt.text.includes(","));
  const identified = nounOfId(tokens, excerpt.from);
  const attribute = attributeSet(tokens, excerpt.from);
  const isLink = excerpt.kind === "literal" && excerpt.text.includes("://");
  const measured = isMeasured(excerpt, tokens);
  const counted = isCount(excerpt, tokens);
  const renamed = excerpt.preposition === "to" && tokens.some(({ lower }) => /^(?:rename|retitle)$/.test(lower));
  const namers = renamed ? readings.filter(({ takes }) => takes.cue === "name").length : 0;
  const endsInLabel = isBeforeLabelled(excerpt, tokens, readings);
  const guided = guidedIds(excerpt, tokens, readings);
  const isJoined = excerpt.kind === "literal" && readings.some(takesTexts) && isJoinedLiteral(excerpt, tokens);
  // "the engine nordlys": what no resource mentions, behind the noun for it, may be how its id is written.
  const isOnlyName = (reading: ParameterReading) =>
    labels.strange &&
    labels.apposed &&
    labels.before !== undefined &&
    identifies(reading.parameter, labels.before, profile);
  return (reading) => {
    const { parameter, takes } = reading;
    const elsewhere = shape !== undefined && takers > Number(reading.shapes.has(shape));
    const named = labelAgreement(reading, labels, readings, profile);
    let odds = textOdds(reading, excerpt, cue, readings);
    // "the folder Kitchen": what is called a path may be written without a slash.
    if (shape !== undefined || named < minNameForShape || excerpt.kind !== "name")
      odds += explicitLogOdds * shapeAgreement(shape, reading.shapes, elsewhere);
    odds += explicitLogOdds * (goesOn && parameter.takesList ? Math.min(0, named) : named);
    odds += explicitLogOdds * endAgreement(end, endHeld(parameter), holders.length > 0, excerpt, isNewName);
    // "crate 44001" for a list that takes "ids of crates"
    if (identified !== undefined && holdsIdsOf(parameter, identified)) odds += explicitLogOdds;
    odds += explicitLogOdds * attributeAgreement(attribute, reading, readings);
    // "app://depot/Pallet/4" is the id of a pallet and of nothing else.
    if (identified !== undefined && isLink && parameter.isIdentifier)
      odds += (identifies(parameter, identified, profile) ? 1 : -1) * explicitLogOdds;
    // "A7 and B8" are not for two arguments where one takes both.
    if (isJoined && !parameter.takesList && !parameter.required) odds -= explicitLogOdds;
    if (shape === "path") odds += explicitLogOdds * fileAgreement(excerpt.text, reading, readings);
    odds += explicitLogOdds * formAgreement(excerpt, reading, readings);
    const isOfKind = excerpt.kind === "literal" ? idAgreement(parameter, excerpt.text) : undefined;
    if (isOfKind !== undefined) odds += isOfKind ? explicitLogOdds : -explicitLogOdds;
    if (isOfKind !== true && identified !== undefined && identifiesAnother(parameter, identified, profile))
      odds -= shares.otherThingsId * explicitLogOdds;
    if (isOfKind !== true && identified === undefined && isOfOtherThing(excerpt, parameter, tokens, profile))
      odds -= shares.looseId * explicitLogOdds;
    if (counted && parameter.isIdentifier) odds -= shares.measuredId * explicitLogOdds;
    if (isMarkedUp(parameter, tokens)) odds -= shares.markup * explicitLogOdds;
    if (endsInLabel && !parameter.stems.includes(excerpt.words.at(-1)!.stem)) odds -= explicitLogOdds;
    if (measured && parameter.isIdentifier) odds -= shares.measuredId * explicitLogOdds;
    // "0.5" of "0.5 ml" is not a text without its unit.
    else if (measured && excerpt.to - excerpt.from === 1 && !holdsAmount(parameter)) odds -= explicitLogOdds;
    if (guided !== undefined && parameter.isIdentifier)
      odds += (guided === reading ? 1 : -1) * shares.guidedId * explicitLogOdds;
    if (excluded) odds += holdsExclusion(parameter) ? shares.exclusion * explicitLogOdds : -explicitLogOdds;
    else if (holdsExclusion(parameter)) odds -= explicitLogOdds;
    if (topic !== 0 && holdsTopic(parameter)) odds += topic * explicitLogOdds;
    // "about these legal questions" for `question`
    else if (topic === 1 && parameter.stems.includes(excerpt.words.at(-1)!.stem))
      odds += shares.subjectNoun * explicitLogOdds;
    if (isSaidAs(excerpt, tokens, parameter)) odds += explicitLogOdds;
    odds -= cut * shares.partOfName * explicitLogOdds;
    if (opensWithVerb || ordering) odds -= explicitLogOdds;
    // A year is written with digits.
    if (parameter.words.at(-1) === "year" && !/\d/.test(excerpt.text)) odds -= shares.yearInWords * explicitLogOdds;
    // "in Japan" for `region_code`
    if (namesCode(excerpt, reading)) odds += shares.code * explicitLogOdds;
    odds += shares.code * explicitLogOdds * codeAgreement(excerpt, parameter, tokens, profile);
    if (parameter.isPlace && isWhole) odds += explicitLogOdds * address;
    if (holdsZone(parameter) && !/\//.test(excerpt.text)) odds -= explicitLogOdds;
    if (isRecipient && (takes.cue === "message" || holdsAllText(parameter))) odds -= explicitLogOdds;
    if (excerpt.preposition === "about") {
      if (reading.guides.has("about")) odds += explicitLogOdds / 2;
      else if (!mayTellSubject(parameter, takes.cue)) odds -= explicitLogOdds / 2;
    }
    // "rename it to X": a name, and none of its other texts
    if (renamed && namers > 0) odds += (takes.cue === "name" ? 1 : -0.5) * explicitLogOdds;
    if (titled > 0 && takes.cue === "name" && !holdsTopic(parameter)) odds += explicitLogOdds * titled;
    if (told !== undefined && isLabelOf(reading, told) && (parameter.medium ?? "text") === "text")
      odds += shares.toldByNoun * explicitLogOdds;
    if (reading.parameter.isIdentifier && isOfTool(excerpt, profile)) odds -= explicitLogOdds;
    if (isNoId(excerpt, reading) && !namesCode(excerpt, reading) && !isOnlyName(reading))
      odds -=
        (excerpt.text.startsWith("#")
          ? shares.tagForId
          : parameter.required && excerpt.kind === "name" && profile.effect === "reads"
            ? shares.nameForId
            : shares.wordsForId) * explicitLogOdds;
    if (
      place &&
      mustBeSomewhere(parameter) &&
      readings.filter((other) => mustBeSomewhere(other.parameter)).length === 1
    )
      odds += explicitLogOdds / 2;
    if (isNested(parameter) && shape !== undefined && reading.shapes.has(shape))
      if (readings.some((other) => !isNested(other.parameter) && other.shapes.has(shape))) odds -= explicitLogOdds / 2;
    return odds;
  };
}

/**
 * How much an excerpt is what is sought for; below 0 for a part of it. What a tool is about anyway is not a subject: "search for songs" of
 * `search_songs`.
 */
function topicWeight({ from, to, words }: Excerpt, tokens: readonly Token[], { nameWords }: Profile): number {
  const own = nameWords.map(stem);
  if (words.every(({ stem: each }) => own.some((other) => sameStem(each, other)))) return 0;
  for (let at = from - 1; at >= 0 && from - at <= maxTopicTokens; at -= 1) {
    const found = topicAt(tokens, at);
    if (found === undefined || found.to < to || found.from > from) continue;
    // "the pilot Maria Lopez" of `search_pilots`: the noun says what is sought for, the name which one.
    const isNoun = own.some((other) => sameStem(tokens[found.from]!.stem, other)) && tokens[found.from + 1]?.capital;
    const topic = isNoun === true ? { ...found, from: found.from + 1 } : found;
    return topic.from === from && topic.to === to ? topic.weight : -topic.weight / 2;
  }
  return 0;
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

/** "cancel O-1": an order, and not the customer by whom a tool may list orders. */
function isOfOtherThing(
  { kind, preposition }: Excerpt,
  parameter: Parameter,
  tokens: readonly Token[],
  profile: Profile,
): boolean {
  if (!parameter.isIdentifier || parameter.required || kind !== "literal" || preposition !== "") return false;
  const noun = identifiedBy(parameter, profile);
  const object = objectOfTool(profile);
  if (noun === undefined || object === "" || sameStem(noun, object)) return false;
  return !tokens.some((token) => token.kind === "word" && sameStem(stem(token.noun), noun));
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

/** Its description says that it takes ids of such things, whatever it is called. */
const holdsIdsOf = ({ about, isIdentifier, types, choices }: Parameter, noun: string): boolean =>
  !isIdentifier &&
  choices.length === 0 &&
  types.has("string") &&
  about.has(noun) &&
  (about.has("id") || about.has("identifi"));

/** "oldest first" tells in which order things are to come. */
export const isOrdering = ({ words }: Pick<Excerpt, "words">): boolean =>
  words.length > 1 && words.at(-1)!.lower === "first" && /(?:est|most)$/.test(words[0]!.lower);

/** "a letter to the crew": who gets it is not what it says. */
const holdsAllText = ({ words }: Parameter) => contentWords.has(words.at(-1) ?? "");

/** Names and ids are not subjects: "the issue about X" tells of the issue. */
const mayTellSubject = (parameter: Parameter, cue: string | undefined) =>
  holdsTopic(parameter) || cue !== undefined || contentWords.has(parameter.words.at(-1) ?? "") || !isThing(parameter);

const isThing = ({ isIdentifier, words }: Parameter) =>
  isIdentifier ||
  words.some((word) => /^(?:repo|repository|owner|path|file|folder|url|user|channel|project)$/.test(word));

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

/** "using kilos as the unit": what a value is to be used as is called after the parameter. */
function isSaidAs({ to }: Excerpt, tokens: readonly Token[], { stems }: Parameter): boolean {
  if (tokens[to]?.lower !== "as") return false;
  const noun = determiners.has(tokens[to + 1]?.lower ?? "") ? tokens[to + 2] : tokens[to + 1];
  return noun?.kind === "word" && stems.some((each) => sameStem(each, noun.stem));
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

/** "Find Greek …": the verb of a request belongs to no value, though a sentence begins with a capital. */
function isRequest({ kind, left, words }: Excerpt, { verbs }: Vocabulary): boolean {
  const { kind: sort, lower } = words[0]!;
  if (kind === "quoted" || left !== "edge" || sort !== "word") return false;
  return isVerb(lower) || verbs.has(lower);
}

/** A word of the tool's own name says which tool is meant, not which thing. */
const isOfTool = ({ words }: Excerpt, { nameWords }: Profile) =>
  words.length === 1 && words[0]!.kind === "word" && nameWords.includes(words[0]!.lower);

/** A country, a language or a currency that has a code, where the schema asks for one. */
const namesCode = ({ text }: Excerpt, { named, codes }: ParameterReading): boolean =>
  codes && (named === "country" || named === "language" || named === "currency") && codeOf(text, named) !== undefined;

/** Words and names are not ids, unless the schema says that it takes names as well. */
export function isNoId({ kind, text }: Excerpt, { parameter }: ParameterReading): boolean {
  const isDescribed = /^(?:the |an? )?(?:unique )?(?:ids?|identifiers?) (?:of|for)\b/i.test(parameter.description);
  if (!isDescribed && !/^(?:ids?|uuids?|guids?|uids?)$/.test(parameter.words.at(-1) ?? "")) return false;
  // "#general" is the name of a thing, and "#15" its number.
  const isTag = /^#\p{L}[\p{L}_-]*$/u.test(text);
  if (!isTag && (kind === "number" || kind === "literal")) return false;
  if (kind === "quoted" && /\s/.test(text)) return true;
  if (!isTag && /[\d_]|\p{Ll}\p{Lu}/u.test(text)) return false;
  return !/\b(?:names?|titles?|slugs?|emails?|handles?)\b/i.test(parameter.description);
}

/** A word that no resource mentions, after "in" or "on". */
const placeSaid = (excerpt: Excerpt, knows: (stem: string) => boolean): boolean =>
  /^(?:in|on)$/.test(excerpt.preposition) && isStrangeWord(excerpt, knows);

const isStrangeWord = ({ words, size }: Excerpt, knows: (stem: string) => boolean): boolean =>
  size === 1 && words[0]!.kind === "word" && !knows(words[0]!.stem);

/** An argument that must be given, whose default says where something is if the goal does not. */
const mustBeSomewhere = ({ required, fallback, choices, types }: Parameter) =>
  required && typeof fallback === "string" && choices.length === 0 && types.has("string");

/** A field of an object in a list that need not be given. */
const isNested = ({ list, required }: Parameter) => list !== undefined && !required;
