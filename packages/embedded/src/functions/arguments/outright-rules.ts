import { holdsExclusion } from "../../catalogue/holds-exclusion.ts";
import { idAgreement, mayHoldId } from "../../catalogue/id-forms.ts";
import type { Parameter } from "../../catalogue/parameter.ts";
import type { Profile } from "../../catalogue/profile.ts";
import { serverOf } from "../../catalogue/servers.ts";
import { shapeAgreement } from "../../catalogue/value-shape.ts";
import { contentWords, determiners, identifierWords } from "../../language/text/lexicon.ts";
import { codeOf } from "../../language/text/locale-names.ts";
import { sameStem, stem } from "../../language/text/stem.ts";
import type { Token } from "../../language/text/token.ts";
import { identifiedBy, identifies, identifiesAnother } from "../segmenting/identified.ts";
import { nounOfId } from "../segmenting/named-ids.ts";
import { isSearchedThing, objectOfTool } from "../segmenting/object-of-act.ts";
import { patternAgreement } from "./candidate-patterns.ts";
import { holdsZone } from "./candidate-zones.ts";
import { codeAgreement } from "./code-values.ts";
import { endAgreement, endHeld } from "./ends.ts";
import { formAgreement } from "./example-forms.ts";
import type { Excerpt } from "./excerpts.ts";
import { fileAgreement, isFile, namesFile } from "./file-fit.ts";
import { isLabelOf } from "./named-by.ts";
import { holdsAmount, isTextual, type ParameterReading, sorts } from "./parameter-reading.ts";
import { personAgreement } from "./person-fit.ts";
import { attributeAgreement } from "./set-attributes.ts";
import type { ExcerptSurroundings } from "./surroundings.ts";
import { isMarkedUp } from "./text-cues.ts";
import { holdsTopic } from "./topics.ts";
import { isNewName, isSoughtElsewhere } from "./where-sought.ts";

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
  textOfNoun: 2,
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
  /** Against the name of the server that a tool comes from. */
  ownServer: 2,
  /** Against a message without quotation marks for an argument of another kind. */
  messageForOther: 2,
  /** Against "issues labelled" for what is searched for among issues. */
  searchedThing: 3,
  /** Against "the database" for a name, where tools speak of databases. */
  knownThing: 1.5,
} as const;

/** An excerpt that is named so clearly need not have the shape that its parameter takes. */
const minNameForShape = 0.8;

/**
 * How strongly something that is said speaks for a value of a parameter or against it, in units of `explicitLogOdds`.
 * @param named how well the nouns around the excerpt name the parameter (`labelAgreement`)
 */
type OutrightRule = (said: ExcerptSurroundings, reading: ParameterReading, named: number) => number;

/** What its shape and the noun beside it say of where it goes. */
const namingRules: readonly OutrightRule[] = [
  ({ excerpt, shape, takers, labels }, reading, named) => {
    const elsewhere = shape !== undefined && takers > Number(reading.shapes.has(shape));
    // "the folder Kitchen": what is called a path may be written without a slash.
    const isNamed =
      (excerpt.kind === "name" || (labels.strange && reading.parameter.medium === undefined)) &&
      named >= minNameForShape;
    return shape === undefined && isNamed ? 0 : shapeAgreement(shape, reading.shapes, elsewhere);
  },
  ({ isListed }, { parameter }, named) => (isListed && parameter.takesList ? Math.min(0, named) : named),
  ({ excerpt, end, isEndHeld, isNewName, isPairedEnd }, { parameter }) =>
    endAgreement(end, endHeld(parameter), isEndHeld, excerpt, isNewName || isPairedEnd),
];

/** What is said of ids. */
const idRules: readonly OutrightRule[] = [
  // "crate 44001" for a list that takes "ids of crates"
  ({ identified }, { parameter }) => Number(identified !== undefined && holdsIdsOf(parameter, identified)),
  ({ attribute, readings }, reading) => attributeAgreement(attribute, reading, readings),
  // "add 'ok' to run 7 of north-dome": where a text is asked for, a quotation without digits goes there.
  ({ excerpt, readings }, { parameter }, named) => {
    const isId = parameter.isIdentifier && !/^(?:key|code|number)$/.test(parameter.words.at(-1) ?? "");
    if (excerpt.kind !== "quoted" || !isId || named > 0 || /^\S*\d\S*$/.test(excerpt.text)) return 0;
    return -Number(readings.some(({ sort, parameter: other }) => sorts[sort] === "content" && other.required));
  },
  // "app://depot/Pallet/4" is the id of a pallet and of nothing else.
  ({ identified, isLink, profile }, { parameter }) => {
    if (identified === undefined || !isLink || !parameter.isIdentifier) return 0;
    return identifies(parameter, identified, profile) ? 1 : -1;
  },
  // "A7 and B8" are not for two arguments where one takes both.
  ({ isJoined }, { parameter }) => -Number(isJoined && !parameter.takesList && !parameter.required),
  ({ shape, excerpt, readings }, reading) => (shape === "path" ? fileAgreement(excerpt.text, reading, readings) : 0),
  // "tag a.md and b.md with red": files go to `files`, and to no list of tags beside it.
  ({ excerpt, readings }, { parameter, shapes }) => {
    if (excerpt.kind !== "literal" || !isFile(excerpt.text)) return 0;
    if (!readings.some((other) => namesFile(other.parameter) && isTextual(other.parameter))) return 0;
    return namesFile(parameter) ? 1 : shapes.has("path") ? 0 : -1;
  },
  ({ excerpt, readings }, { parameter }) =>
    excerpt.kind === "literal" ? patternAgreement(excerpt.text, parameter, readings) : 0,
  ({ excerpt, readings }, reading) => formAgreement(excerpt, reading, readings),
  ({ excerpt }, { parameter }) => {
    const isOfKind = isOfIdKind(excerpt, parameter);
    if (isOfKind === false && !parameter.isIdentifier && parameter.words.some(mayHoldId)) return 0;
    return isOfKind === undefined ? 0 : isOfKind ? 1 : -1;
  },
  ({ excerpt, identified, tokens, profile }, { parameter }) => {
    if (isOfIdKind(excerpt, parameter) === true) return 0;
    if (identified === undefined) return isOfOtherThing(excerpt, parameter, tokens, profile) ? -shares.looseId : 0;
    return identifiesAnother(parameter, identified, profile) ? -shares.otherThingsId : 0;
  },
  // "in project P-1": the code is the id, and the noun before it says of what.
  ({ excerpt, tokens }, { parameter }) => {
    const isNounToo = excerpt.to - excerpt.from > 1 && nounOfId(tokens, excerpt.to - 1) !== undefined;
    return isNounToo && parameter.isIdentifier ? -shares.otherThingsId : 0;
  },
  // "the pilot of F-7": a flight, and no pilot.
  ({ owned, excerpt, profile }, { parameter }) => {
    const noun = owned === undefined ? undefined : identifiedBy(parameter, profile);
    const isOther = noun !== undefined && sameStem(noun, owned!) && isOfIdKind(excerpt, parameter) !== true;
    return isOther ? -shares.otherThingsId : 0;
  },
  // A code is the id of something rather than any text by which a tool narrows down what it lists.
  ({ excerpt, profile }, { parameter }, named) =>
    -Number(
      isCode(excerpt) && profile.effect === "reads" && !parameter.required && named <= 0 && holdsPlainText(parameter),
    ),
  ({ isCounted }, { parameter }) => (isCounted && parameter.isIdentifier ? -shares.measuredId : 0),
  // "refer P-9 to cardiology": a code is the id that the call needs rather than a text of it.
  ({ excerpt, readings, tokens }, { parameter }) =>
    -Number(
      isCode(excerpt) && !parameter.isIdentifier && parameter.choices.length === 0 && idsForAllCodes(readings, tokens),
    ),
  // "assign task 5 to ann@x.org": where one argument says which person, the address of a person goes there.
  ({ shape, readings }, { parameter }) => (shape === "mail" ? personAgreement(parameter, readings) : 0),
  // An address of mail is the id of nothing that does not speak of mail or of people.
  ({ shape }, { parameter }) =>
    shape === "mail" && parameter.isIdentifier && !mayBeMail(parameter) ? -shares.tagForId : 0,
];

/** What its own words, and those right beside it, say. */
const wordRules: readonly OutrightRule[] = [
  // "create a crate C-2": what is made is called so, and does not come from there.
  ({ excerpt, tokens, labels }, { parameter }) =>
    -2 * Number(labels.apposed && endHeld(parameter) === "origin" && isNewName(tokens, excerpt.from)),
  ({ tokens }, { parameter }) => (isMarkedUp(parameter, tokens) ? -shares.markup : 0),
  ({ endsInLabel, excerpt }, { parameter }) => -Number(endsInLabel && !holdsLastWord(parameter, excerpt)),
  ({ isMeasured, excerpt }, { parameter }) => {
    if (!isMeasured) return 0;
    if (parameter.isIdentifier) return -shares.measuredId;
    // "0.5" of "0.5 ml" is not a text without its unit.
    return -Number(excerpt.to - excerpt.from === 1 && !holdsAmount(parameter));
  },
  // "below 5" says how many, and no text which one.
  ({ excerpt, tokens }, { parameter }) => {
    const isBound =
      excerpt.kind === "number" && /^(?:below|above|under|over|than)$/.test(tokens[excerpt.from - 1]?.lower ?? "");
    return isBound && !holdsAmount(parameter) ? -shares.measuredId : 0;
  },
  ({ guided }, reading) => {
    if (guided === undefined || !reading.parameter.isIdentifier) return 0;
    return guided === reading ? shares.guidedId : -shares.guidedId;
  },
  ({ isExcluded }, { parameter }) => {
    if (isExcluded) return holdsExclusion(parameter) ? shares.exclusion : -1;
    return -Number(holdsExclusion(parameter));
  },
  ({ topic, excerpt }, { parameter }) => {
    if (topic !== 0 && holdsTopic(parameter)) return topic;
    // "about these legal questions" for `question`
    return topic === 1 && holdsLastWord(parameter, excerpt) ? shares.subjectNoun : 0;
  },
  ({ excerpt, tokens }, { parameter }) => Number(isSaidAs(excerpt, tokens, parameter)),
  ({ cut }) => -cut * shares.partOfName,
  // "search for issues labelled bug": what is searched, and nothing that it is searched for.
  ({ excerpt: { words }, profile }) => (isSearchedThing(words, profile) ? -shares.searchedThing : 0),
  ({ isInstruction }) => -Number(isInstruction),
  // A year is written with digits.
  ({ excerpt }, { parameter }) =>
    parameter.words.at(-1) === "year" && !/\d/.test(excerpt.text) ? -shares.yearInWords : 0,
  // "in Japan" for `region_code`
  ({ excerpt }, reading) => (namesCode(excerpt, reading) ? shares.code : 0),
  ({ excerpt, tokens, profile }, { parameter }) => shares.code * codeAgreement(excerpt, parameter, tokens, profile),
];

/** What the excerpt is to the request: a place, somebody who gets something, a subject, a new name. */
const roleRules: readonly OutrightRule[] = [
  ({ address, isWholeAddress }, { parameter }) => (parameter.isPlace && isWholeAddress ? address : 0),
  ({ excerpt }, { parameter }) => -Number(holdsZone(parameter) && !/\//.test(excerpt.text)),
  // "write to the reader: your box is ready": a message is not the name of its reader.
  ({ excerpt, readings }, { parameter }) =>
    excerpt.kind === "quoted" &&
    isWrittenOut(excerpt) &&
    !holdsAllText(parameter) &&
    readings.some((other) => holdsAllText(other.parameter) && other.parameter.required)
      ? -shares.messageForOther
      : 0,
  ({ isRecipient }, { parameter, takes }) =>
    -Number(isRecipient && (takes.cue === "message" || holdsAllText(parameter))),
  ({ topic, excerpt, tokens }, { parameter }) => -Number(isSoughtElsewhere(excerpt, tokens, topic, parameter)),
  ({ excerpt }, { parameter, takes, guides }) => {
    if (excerpt.preposition !== "about") return 0;
    if (guides.has("about")) return 0.5;
    return mayTellSubject(parameter, takes.cue) ? 0 : -0.5;
  },
  // "rename it to X": a name, and none of its other texts
  ({ isRenamed }, { takes }) => (isRenamed ? (takes.cue === "name" ? 1 : -0.5) : 0),
  ({ isTitle }, { takes }) => Number(isTitle && takes.cue === "name"),
  ({ title }, { parameter, takes }) => (title > 0 && takes.cue === "name" && !holdsTopic(parameter) ? title : 0),
  ({ noun }, reading) =>
    noun !== undefined && isLabelOf(reading, noun) && (reading.parameter.medium ?? "text") === "text"
      ? shares.textOfNoun
      : 0,
  ({ excerpt, profile }, { parameter }) => -Number(parameter.isIdentifier && isOfTool(excerpt, profile)),
  // "on GitHub" says whose the tool is.
  ({ excerpt, profile }) =>
    excerpt.kind !== "quoted" && excerpt.text.toLowerCase() === serverOf(profile.resource) ? -shares.ownServer : 0,
  ({ isKnownThing }, { parameter }) => (isKnownThing && takesNames(parameter) ? -shares.knownThing : 0),
  ({ excerpt, labels, profile }, reading) => {
    const { parameter } = reading;
    if (!isNoId(excerpt, parameter) || namesCode(excerpt, reading)) return 0;
    // "the engine nordlys": what no resource mentions, behind the noun for it, may be how its id is written.
    const { strange, apposed, before } = labels;
    const mayBeId = strange || (isKey.test(excerpt.text) && !identifierWords.has(excerpt.text.toLowerCase()));
    if (mayBeId && apposed && before !== undefined && identifies(parameter, before, profile)) return 0;
    if (excerpt.text.startsWith("#")) return -shares.tagForId;
    const mayBeName = parameter.required && excerpt.kind === "name" && profile.effect === "reads";
    return mayBeName ? -shares.nameForId : -shares.wordsForId;
  },
  ({ isPlace, readings }, { parameter }) =>
    isPlace && mustBeSomewhere(parameter) && readings.filter((other) => mustBeSomewhere(other.parameter)).length === 1
      ? 0.5
      : 0,
  ({ shape, readings }, { parameter, shapes }) =>
    isNested(parameter) &&
    shape !== undefined &&
    shapes.has(shape) &&
    readings.some((other) => !isNested(other.parameter) && other.shapes.has(shape))
      ? -0.5
      : 0,
  // "search for Salt": what is searched for goes to `query` rather than into a filter.
  ({ excerpt, readings }, { parameter }) =>
    -Number(
      excerpt.preposition === "for" &&
        isInOption(parameter) &&
        readings.some(
          (other) => other.parameter.path.length === 1 && /^(?:q|query|search)$/.test(other.parameter.name),
        ),
    ),
];

/** What the words of and around an excerpt say outright of a value of the parameter, one rule after the other. */
export const outrightRules: readonly OutrightRule[] = [...namingRules, ...idRules, ...wordRules, ...roleRules];

const isCode = ({ kind, text }: Pick<Excerpt, "kind" | "text">): boolean =>
  kind === "literal" && /^\p{Lu}{1,4}[-_]?\d+$/u.test(text);

/** "team ENG": initials by which a team or a project is known. */
const isKey = /^\p{Lu}{2,6}$/u;

/** A text by which things are listed, and neither what is searched for nor said to hold codes. */
const holdsPlainText = ({ isIdentifier, choices, format, words, description }: Parameter): boolean =>
  !isIdentifier &&
  choices.length === 0 &&
  format === "" &&
  words.length === 1 &&
  !contentWords.has(words[0]!) &&
  !mayHoldId(words[0]!) &&
  !/\d|\bcodes?\b|\bids?\b|\bseparated\b|\blist\b/i.test(description);

/** The call needs at least as many ids as there are codes. */
function idsForAllCodes(readings: readonly ParameterReading[], tokens: readonly Token[]): boolean {
  const ids = readings.filter(({ parameter }) => parameter.isIdentifier && parameter.required).length;
  return ids > 0 && ids >= tokens.filter(({ kind, text }) => kind === "literal" && isCode({ kind, text })).length;
}

/** An id of a person, or of what is known by an address: a user, an account, a calendar. */
const mayBeMail = ({ words, description }: Parameter): boolean =>
  /\b(?:e-?mail (?:address|of)|user|member|person|people|account|calendar|contact|customer|assignee|owner|attendee)/i.test(
    `${words.join(" ")} ${description}`,
  );

/** Whether a literal is written as ids of the parameter are; undefined where that cannot be said. */
const isOfIdKind = ({ kind, text }: Excerpt, parameter: Parameter): boolean | undefined =>
  kind === "literal" ? idAgreement(parameter, text) : undefined;

/** A text that says which thing is meant. */
const takesNames = ({ types, choices, words, isIdentifier }: Parameter): boolean =>
  types.has("string") &&
  choices.length === 0 &&
  (isIdentifier || /^(?:name|title|label|slug)$/.test(words.at(-1) ?? ""));

const holdsLastWord = ({ stems }: Parameter, { words }: Excerpt): boolean => stems.includes(words.at(-1)!.stem);

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

/** Its description says that it takes ids of such things, whatever it is called. */
const holdsIdsOf = ({ about, isIdentifier, types, choices }: Parameter, noun: string): boolean =>
  !isIdentifier &&
  choices.length === 0 &&
  types.has("string") &&
  about.has(noun) &&
  (about.has("id") || about.has("identifi"));

/** A quotation without quotation marks. */
const isWrittenOut = ({ words }: Excerpt) => words.length === 1 && /^[\p{L}\p{N}]/u.test(words[0]!.text);

/** "a letter to the crew": who gets it is not what it says. */
const holdsAllText = ({ words }: Parameter) => contentWords.has(words.at(-1) ?? "");

/** Names and ids are not subjects: "the issue about X" tells of the issue. */
const mayTellSubject = (parameter: Parameter, cue: string | undefined) =>
  holdsTopic(parameter) || cue !== undefined || contentWords.has(parameter.words.at(-1) ?? "") || !isThing(parameter);

const isThing = ({ isIdentifier, words }: Parameter) =>
  isIdentifier ||
  words.some((word) => /^(?:repo|repository|owner|path|file|folder|url|user|channel|project)$/.test(word));

/** "using kilos as the unit": what a value is to be used as is called after the parameter. */
function isSaidAs({ to }: Excerpt, tokens: readonly Token[], { stems }: Parameter): boolean {
  if (tokens[to]?.lower !== "as") return false;
  const noun = determiners.has(tokens[to + 1]?.lower ?? "") ? tokens[to + 2] : tokens[to + 1];
  return noun?.kind === "word" && stems.some((each) => sameStem(each, noun.stem));
}

/** A word of the tool's own name says which tool is meant, not which thing. */
const isOfTool = ({ words }: Excerpt, { nameWords }: Profile) =>
  words.length === 1 && words[0]!.kind === "word" && nameWords.includes(words[0]!.lower);

/** A country, a language or a currency that has a code, where the schema asks for one. */
const namesCode = ({ text }: Excerpt, { named, codes }: ParameterReading): boolean =>
  codes && (named === "country" || named === "language" || named === "currency") && codeOf(text, named) !== undefined;

/** Words and names are not ids, unless the schema says that it takes names as well. */
export function isNoId({ kind, text }: Pick<Excerpt, "kind" | "text">, parameter: Parameter): boolean {
  const isDescribed = /^(?:the |an? )?(?:unique )?(?:ids?|identifiers?) (?:of|for)\b/i.test(parameter.description);
  if (!isDescribed && !/^(?:ids?|uuids?|guids?|uids?)$/.test(parameter.words.at(-1) ?? "")) return false;
  // "#general" is the name of a thing, and "#15" its number.
  const isTag = /^#\p{L}[\p{L}_-]*$/u.test(text);
  if (!isTag && (kind === "number" || kind === "literal")) return false;
  if (kind === "quoted" && /\s/.test(text)) return true;
  if (!isTag && /[\d_]|\p{Ll}\p{Lu}/u.test(text)) return false;
  return !/\b(?:names?|titles?|slugs?|emails?|handles?)\b/i.test(parameter.description);
}

/** An argument that must be given, whose default says where something is if the goal does not. */
const mustBeSomewhere = ({ required, fallback, choices, types }: Parameter) =>
  required && typeof fallback === "string" && choices.length === 0 && types.has("string");

/** A field of an object in a list that need not be given. */
const isNested = ({ list, required }: Parameter) => list !== undefined && !required;

/** A field of an object that need not be given. */
const isInOption = ({ path, required }: Parameter) => path.length > 1 && !required;
