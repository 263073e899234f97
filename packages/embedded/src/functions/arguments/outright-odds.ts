import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { shapeAgreement, shapeOf } from "../../catalogue/value-shape.ts";
import { isOutcome } from "../../language/clauses/changes.ts";
import type { Vocabulary } from "../../language/clauses/clauses.ts";
import { nounTold } from "../../language/clauses/content-clauses.ts";
import { isVerb } from "../../language/text/actions.ts";
import { contentWords, prepositions } from "../../language/text/lexicon.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { addressEnd } from "./addresses.ts";
import { holdsZone } from "./candidate-zones.ts";
import { codeAgreement } from "./code-values.ts";
import { endAgreement, endHeld, endSaid } from "./ends.ts";
import { holdsExclusion, isExcluded } from "./exclusions.ts";
import { cueOf, sure, textOdds } from "./explicit-cues.ts";
import { fileAgreement } from "./file-fit.ts";
import { labelAgreement, labelsOf } from "./labels.ts";
import { isLabelOf } from "./named-by.ts";
import type { ParameterReading } from "./parameter-reading.ts";
import type { Stretch } from "./stretches.ts";
import { holdsTopic, maxTopicTokens, topicAt } from "./topics.ts";

/** What is said outright of one stretch, for any parameter of its call: log-odds beside what is learned. */
export type OutrightOdds = (reading: ParameterReading) => number;

/**
 * Reads what the words of and around a stretch say outright: how it is written, what it is called, which end of a change it is, that
 * it is to be left out, what a search is about. O(parameters) once, then O(parameters) a parameter.
 */
export function outrightOf(
  stretch: Stretch,
  tokens: readonly Token[],
  readings: readonly ParameterReading[],
  profile: Profile,
  vocabulary: Vocabulary,
  knows: (stem: string) => boolean,
): OutrightOdds {
  const cue = cueOf(stretch, tokens);
  const shape = shapeOf(stretch);
  const labels = labelsOf(stretch, tokens, knows);
  const takers = shape === undefined ? 0 : readings.filter((each) => each.shapes.has(shape)).length;
  const end = endSaid(stretch, tokens);
  const holders = end === undefined ? [] : readings.filter(({ parameter }) => endHeld(parameter) === end);
  const isNewName = isStrangeWord(stretch, knows) && isOutcome(tokens, stretch.from);
  const excluded = readings.some(({ parameter }) => holdsExclusion(parameter)) && isExcluded(tokens, stretch.from);
  const topic = topicWeight(stretch, tokens, profile);
  const place = placeSaid(stretch, knows);
  const opensWithVerb = isRequest(stretch, vocabulary);
  const ordering = isOrdering(stretch);
  const isRecipient = stretch.kind === "phrase" && stretch.preposition === "to";
  const address = addressWeight(stretch, tokens);
  const isWhole = readings.every(({ parameter }) => !holdsPartOfAddress(parameter));
  const titled = titleWeight(stretch, tokens, knows);
  const told = stretch.shape === "tail" ? nounTold(tokens, stretch.from) : undefined;
  // "the components A, B and C": a list takes them all.
  const goesOn =
    (/^(?:,|and|or)$/.test(tokens[stretch.to]?.lower ?? "") &&
      !isOrdering({ words: tokens.slice(stretch.to + 1, stretch.to + 3) })) ||
    (stretch.kind === "quoted" && stretch.text.includes(","));
  return (reading) => {
    const { parameter, takes } = reading;
    const elsewhere = shape !== undefined && takers > Number(reading.shapes.has(shape));
    const named = labelAgreement(reading, labels, readings, profile);
    let odds = textOdds(reading, stretch, cue, readings);
    // "the folder Kitchen": what is called a path may be written without a slash.
    if (shape !== undefined || named < 0.8 || stretch.kind !== "name")
      odds += sure * shapeAgreement(shape, reading.shapes, elsewhere);
    odds += sure * (goesOn && parameter.takesList ? Math.min(0, named) : named);
    odds += sure * endAgreement(end, endHeld(parameter), holders.length > 0, stretch, isNewName);
    if (shape === "path") odds += sure * fileAgreement(stretch.text, reading, readings);
    if (excluded) odds += holdsExclusion(parameter) ? 1.5 * sure : -sure;
    else if (holdsExclusion(parameter)) odds -= sure;
    if (topic !== 0 && holdsTopic(parameter)) odds += topic * sure;
    // "about these legal questions" for `question`
    else if (topic === 1 && parameter.stems.includes(stretch.words.at(-1)!.stem)) odds += 1.5 * sure;
    if (opensWithVerb || ordering) odds -= sure;
    // A year is written with digits.
    if (parameter.words.at(-1) === "year" && !/\d/.test(stretch.text)) odds -= 2 * sure;
    odds += 2 * sure * codeAgreement(stretch, parameter, tokens, profile);
    if (parameter.isPlace && isWhole) odds += sure * address;
    if (holdsZone(parameter) && !/\//.test(stretch.text)) odds -= sure;
    if (isRecipient && (takes.cue === "message" || holdsAllText(parameter))) odds -= sure;
    if (stretch.preposition === "about") {
      if (reading.guides.has("about")) odds += sure / 2;
      else if (!mayTellSubject(parameter, takes.cue)) odds -= sure / 2;
    }
    if (titled > 0 && takes.cue === "name" && !holdsTopic(parameter)) odds += sure * titled;
    if (told !== undefined && isLabelOf(reading, told) && (parameter.medium ?? "text") === "text") odds += 2 * sure;
    if (reading.parameter.isIdentifier && isOfTool(stretch, profile)) odds -= sure;
    if (isNoId(stretch, reading)) odds -= parameter.required && stretch.kind === "name" ? sure / 2 : 1.5 * sure;
    if (
      place &&
      mustBeSomewhere(parameter) &&
      readings.filter((other) => mustBeSomewhere(other.parameter)).length === 1
    )
      odds += sure / 2;
    if (isNested(parameter) && shape !== undefined && reading.shapes.has(shape))
      if (readings.some((other) => !isNested(other.parameter) && other.shapes.has(shape))) odds -= sure / 2;
    return odds;
  };
}

/**
 * How much a stretch is what is sought for; below 0 for a part of it. What a tool is about anyway is no subject: "search for songs" of
 * `search_songs`.
 */
function topicWeight({ from, to, words }: Stretch, tokens: readonly Token[], { nameWords }: Profile): number {
  const own = nameWords.map(stem);
  if (words.every(({ stem: each }) => own.some((other) => sameStem(each, other)))) return 0;
  for (let at = from - 1; at >= 0 && from - at <= maxTopicTokens; at -= 1) {
    const topic = topicAt(tokens, at);
    if (topic === undefined || topic.to < to || topic.from > from) continue;
    return topic.from === from && topic.to === to ? topic.weight : -topic.weight / 2;
  }
  return 0;
}

/** "oldest first" tells in which order things are to come. */
export const isOrdering = ({ words }: Pick<Stretch, "words">): boolean =>
  words.length > 1 && words.at(-1)!.lower === "first" && /(?:est|most)$/.test(words[0]!.lower);

/** "a letter to the crew": who gets it is not what it says. */
const holdsAllText = ({ words }: Parameter) => contentWords.has(words.at(-1) ?? "");

/** Names and ids are no subjects: "the issue about X" tells of the issue. */
const mayTellSubject = (parameter: Parameter, cue: string | undefined) =>
  holdsTopic(parameter) || cue !== undefined || contentWords.has(parameter.words.at(-1) ?? "") || !isThing(parameter);

const isThing = ({ isIdentifier, words }: Parameter) =>
  isIdentifier ||
  words.some((word) => /^(?:repo|repository|owner|path|file|folder|url|user|channel|project)$/.test(word));

/** Such a parameter takes a part of an address. */
const holdsPartOfAddress = ({ words }: Parameter) =>
  words.some((word) => /^(?:city|town|state|zip|postal|postcode|street|house)$/.test(word));

/** A whole address: above 0; a part of one: below. */
function addressWeight({ from, to }: Stretch, tokens: readonly Token[]): number {
  for (let at = from; at >= 0 && from - at <= 12; at -= 1) {
    const end = addressEnd(tokens, at);
    if (end !== undefined && end > from) return at === from && end === to ? 1.5 : end >= to ? -0.75 : 0;
  }
  return 0;
}

/** "save it as X", "install it as X" give a name; a plain word that no resource mentions is hardly anything else at the end of a clause. */
function titleWeight(
  { from, to, words, kind, size }: Stretch,
  tokens: readonly Token[],
  knows: (stem: string) => boolean,
): number {
  if (tokens[from - 1]?.lower !== "as" || from < 2) return 0;
  if (kind === "quoted" || kind === "name" || kind === "literal") return 0.75;
  const after = tokens[to];
  const ends = after === undefined || after.kind !== "word" || prepositions.has(after.lower);
  return ends && size === 1 && words[0]!.kind === "word" && !knows(words[0]!.stem) ? 1.5 : 0;
}

/** "Find Greek …": the verb of a request belongs to no value, though a sentence begins with a capital. */
function isRequest({ kind, left, words }: Stretch, { verbs }: Vocabulary): boolean {
  const { kind: sort, lower } = words[0]!;
  if (kind === "quoted" || left !== "edge" || sort !== "word") return false;
  return isVerb(lower) || verbs.has(lower);
}

/** A word of the tool's own name says which tool is meant, not which thing. */
const isOfTool = ({ words }: Stretch, { nameWords }: Profile) =>
  words.length === 1 && words[0]!.kind === "word" && nameWords.includes(words[0]!.lower);

/** Words and names are no id, unless the schema says that it takes names as well. */
function isNoId({ kind, text }: Stretch, { parameter }: ParameterReading): boolean {
  if (!/^(?:ids?|uuids?|guids?|uids?)$/.test(parameter.words.at(-1) ?? "")) return false;
  if (kind === "number" || kind === "literal" || /[\d_]|\p{Ll}\p{Lu}/u.test(text)) return false;
  return !/\b(?:names?|titles?|slugs?|emails?|handles?)\b/i.test(parameter.description);
}

/** A word that no resource mentions, after "in" or "on". */
const placeSaid = (stretch: Stretch, knows: (stem: string) => boolean): boolean =>
  /^(?:in|on)$/.test(stretch.preposition) && isStrangeWord(stretch, knows);

const isStrangeWord = ({ words, size }: Stretch, knows: (stem: string) => boolean): boolean =>
  size === 1 && words[0]!.kind === "word" && !knows(words[0]!.stem);

/** An argument that must be given, where a default says where something is as long as nobody says it. */
const mustBeSomewhere = ({ required, fallback, choices, types }: Parameter) =>
  required && typeof fallback === "string" && choices.length === 0 && types.has("string");

/** A field of an object in a list that need not be given. */
const isNested = ({ list, required }: Parameter) => list !== undefined && !required;
