import { aboutAffinity, isPerson, isPlaceByName, nameAffinity } from "../catalogue/affinity.ts";
import { isOfItsForm } from "../catalogue/allows.ts";
import { isForeignId } from "../catalogue/id-forms.ts";
import type { Parameter } from "../catalogue/parameter.ts";
import {
  abstractNouns,
  contentWords,
  emptyNouns,
  foundNouns,
  instructionWords,
  nameWords,
  placePrepositions,
  superlatives,
} from "../language/text/lexicon.ts";
import { isParticiple } from "../language/text/participle.ts";
import { singular } from "../language/text/singular.ts";
import { sameStem, stem } from "../language/text/stem.ts";
import type { Token } from "../language/text/token.ts";
import { announces, type Evidence } from "./evidence.ts";
import type { Fit, FitContext } from "./fit-context.ts";
import { fitLiteral } from "./fit-literal.ts";
import { directionFit, has, textScores, wrap } from "./text-scores.ts";

/** Names, quoted texts, ids and noun phrases for parameters of free text. */
export function fitText(parameter: Parameter, evidence: Evidence, context: FitContext): Fit | undefined {
  const textual = parameter.types.size === 0 || parameter.types.has("string");
  if (!textual || parameter.holdsDay || evidence.negated || !isOfItsForm(parameter, evidence.text)) return undefined;
  const isForeign = isForeignId(parameter, evidence.text, context.reads ? "reads" : "changes");
  if (isForeign && (evidence.kind === "name" || evidence.kind === "literal")) return undefined;
  // "Shut all valves in hall 2": no valve is called "hall".
  const isOne = !parameter.isIdentifier && parameter.takesOne && parameter.required;
  const isOfAll = isOne && context.allOf.has(singular(parameter.words.at(-1) ?? ""));
  if (isOfAll && evidence.kind !== "quoted" && evidence.kind !== "literal") return undefined;
  switch (evidence.kind) {
    case "quoted":
      return parameter.isIdentifier && isAnnounced(evidence) ? undefined : quoted(parameter, evidence);
    case "literal":
      return fitLiteral(parameter, evidence, context);
    case "name":
      return name(parameter, evidence, context);
    default:
      if (evidence.tokens.every((token) => foundNouns.has(token.lower) || emptyNouns.has(token.lower)))
        return undefined;
      return nounPhrase(parameter, evidence, context);
  }
}

/** What speaks for a place: after "in" or "at", beside "from", "to" or a noun, after "of" or nothing; less for others. */
const placeScores = {
  placed: 2.6,
  beside: 1.6,
  loose: 1,
  byName: 0.4,
  /** A name without a number, for a street beside a town. */
  road: -0.6,
  placedElsewhere: -0.4,
  besideElsewhere: -0.2,
} as const;

/** "called 'North'": a name, and no id. */
const isAnnounced = ({ near }: Evidence): boolean => ["called", "named", "titled"].some((word) => near.has(stem(word)));

function quoted(parameter: Parameter, evidence: Evidence): Fit {
  const holdsContent = parameter.words.some((word) => contentWords.has(word));
  // "titled Groceries saying …": the words before name another value.
  const isOther = evidence.preposition === "saying" && !holdsContent;
  const affinity = isOther ? 0 : 2 * nameAffinity(parameter, evidence.near) + aboutAffinity(parameter, evidence.near);
  let score = textScores.quotation + affinity + (parameter.required ? textScores.required : 0);
  if (parameter.words.some((word) => nameWords.has(word))) score += textScores.quotationForName;
  if (parameter.isIdentifier && affinity < 1) score += textScores.quotationForId;
  if (evidence.preposition === "saying" && holdsContent) score += textScores.quotedContent;
  if (isTopic(parameter, evidence)) score += textScores.topic;
  return {
    score: score + placeFit(parameter, evidence) + directionFit(parameter, evidence),
    value: wrap(parameter, evidence.text),
  };
}

function name(parameter: Parameter, evidence: Evidence, context: FitContext): Fit | undefined {
  if (parameter.isIdentifier) return undefined;
  const affinity = 2 * nameAffinity(parameter, evidence.near) + aboutAffinity(parameter, evidence.near);
  // "Purchases from Nordic Bearings Ltd": such a name is rather whose they are than a place.
  const isOwner = evidence.preposition === "from" && isNameOfFirm(evidence);
  const place = isOwner && parameter.isPlace && !parameter.required ? 0 : placeFit(parameter, evidence);
  let score = textScores.name + affinity + place + directionFit(parameter, evidence);
  if (parameter.required) score += textScores.required;
  if (isRecipient(parameter, evidence, context)) score += textScores.recipient;
  if (evidence.preposition === "by" || evidence.preposition === "via" || evidence.preposition === "through") {
    if (isPerson(parameter)) score += textScores.maker;
    if (parameter.isPlace) score += textScores.makerForPlace;
  }
  if (evidence.preposition === "for" && isPerson(parameter)) score += textScores.personAfterFor;
  if (isTopic(parameter, evidence)) score += textScores.topic;
  if (evidence.tokens.some(announces) || [...announced].some((word) => evidence.near.has(word))) {
    if (parameter.words.some((word) => nameWords.has(word))) score += textScores.announcedName;
  }
  // "Find Ada Moss", "customer Ada Moss" by a name or a city.
  const isCalled = evidence.afterNoun && !placePrepositions.has(evidence.preposition);
  const isLoose = (evidence.preposition === "" && !evidence.beforeNoun) || isOwner || isCalled;
  if (isLoose && parameter.words.at(-1) === "name" && !parameter.isPlace) score += textScores.ownName;
  // "Find Ada Moss" by a search text or a city.
  if ((isLoose || isObjectOfSearch(evidence, context)) && isSearchText(parameter)) score += textScores.sought;
  const free = context.parameters.filter((other) => isFreeText(other));
  if (free.length === 1 && isFreeText(parameter)) score += textScores.onlyFreeText;
  if (has(parameter, /(?:^|_)(?:type|kind|category|class|status|mode|format|unit)$/)) score += textScores.nameForKind;
  return { score, value: wrap(parameter, evidence.text) };
}

const isSearchText = (parameter: Parameter) =>
  isFreeText(parameter) && /^(?:q|query|search|keywords?|terms?)$/.test(parameter.words.at(-1) ?? "");

/** "Search for the customer Ada Moss": such a "for" is the verb's. */
const isObjectOfSearch = ({ preposition, phrase }: Evidence, { tokens }: FitContext) =>
  preposition === "for" &&
  phrase === 0 &&
  tokens.some(({ lower }, at) => lower === "for" && /^(?:search|look)(?:ing)?$/.test(tokens[at - 1]?.lower ?? ""));

const isNameOfFirm = ({ tokens }: Evidence): boolean =>
  tokens.length > 1 && (legalForms.test(tokens.at(-1)!.lower) || tokens.filter(({ capital }) => capital).length > 2);
const legalForms = /^(?:ltd|llc|llp|plc|inc|corp|co|gmbh|ag|kg|bv|nv|sa|srl|spa|oy|ab|as)$/;

/** "Assign it to Ben": the only name that the call needs is of whom it is done to. */
function isRecipient(parameter: Parameter, { preposition }: Evidence, { reads, parameters }: FitContext): boolean {
  const isPlainName = (other: Parameter) => other.required && isFreeText(other) && !other.isPlace;
  const [only, ...others] = parameters.filter(isPlainName);
  return !reads && preposition === "to" && only === parameter && others.length === 0;
}

/** "about X", for what holds a subject. */
export function isTopic(parameter: Parameter, { preposition }: Evidence): boolean {
  return /^(?:about|on|regarding|of)$/.test(preposition) && has(parameter, /topic|subject|title|about|query|theme/);
}

const announced: ReadonlySet<string> = new Set([
  stem("named"),
  stem("called"),
  stem("titled"),
  stem("name"),
  stem("title"),
]);

export function isFreeText(parameter: Parameter): boolean {
  return (
    parameter.types.has("string") &&
    parameter.choices.length === 0 &&
    !parameter.isIdentifier &&
    !parameter.holdsDay &&
    parameter.format === ""
  );
}

const roads = /^(?:street|road|line|line1|address1)$/;

/** Where something is: after "in" or "at", or right before the noun. */
function placeFit(parameter: Parameter, evidence: Evidence): number {
  const placed = placePrepositions.has(evidence.preposition);
  const isRoad = roads.test(parameter.words.at(-1) ?? "") && !/\d/.test(evidence.text) && evidence.preposition === "in";
  const byName = isRoad ? placeScores.road : isPlaceByName(parameter) ? placeScores.byName : 0;
  if (evidence.beforeNoun && !placed) return parameter.isPlace ? placeScores.beside + byName : 0;
  if (placed) return parameter.isPlace ? placeScores.placed + byName : placeScores.placedElsewhere;
  if (evidence.preposition === "from" || evidence.preposition === "to")
    return parameter.isPlace ? placeScores.beside + byName : placeScores.besideElsewhere;
  // "flights of Norse" go anywhere.
  if (evidence.preposition === "of" && parameter.direction !== undefined) return 0;
  if (evidence.preposition === "of" || evidence.preposition === "for" || evidence.preposition === "")
    return parameter.isPlace ? placeScores.loose + byName : 0;
  return 0;
}

/** "blue paper" for `paper_colour` is not a match; "blue paper type" and, for `paper_type`, "glossy paper" are. */
function nounPhrase(parameter: Parameter, evidence: Evidence, context: FitContext): Fit | undefined {
  const { tokens } = evidence;
  if (parameter.isIdentifier) return undefined;
  const contentWords = parameter.words.filter((word) => !kinds.has(word));
  const wanted = (contentWords.length > 0 ? contentWords : parameter.words).map(stem);
  const affinity = nameAffinity(parameter, evidence.near);
  // The parameter's own noun ends the phrase and something is before it: "glossy photo paper" for `paper_type`.
  const tail = tokens.length - wanted.length;
  const ends = tail > 0 && wanted.every((each, offset) => sameStem(tokens[tail + offset]?.stem ?? "", each));
  const whole = evidence.text;
  if (ends) {
    const last = tokens[tail - 1]!;
    const value = whole.slice(0, last.end - (tokens[0]?.start ?? 0));
    return {
      score: evidence.beforeNoun ? textScores.labelledBeforeNoun : textScores.labelled,
      value: wrap(parameter, value),
    };
  }
  // The noun opens the phrase and the value follows: "topic renewable energy".
  const opens =
    tokens.length > wanted.length && wanted.every((each, offset) => sameStem(tokens[offset]?.stem ?? "", each));
  if (opens) {
    const at = tokens.findIndex((token, index) => index >= wanted.length && !parameter.stems.includes(token.stem));
    const first = tokens[at];
    if (first === undefined) return undefined;
    return { score: textScores.labelled, value: wrap(parameter, whole.slice(first.start - (tokens[0]?.start ?? 0))) };
  }
  const kind = kindSaid(parameter, evidence, context);
  if (kind !== undefined) return kind;
  // "the berths assigned to Ada": nobody looks for the word.
  const [only, more] = tokens;
  const isNoName =
    more === undefined &&
    only !== undefined &&
    isParticiple(only) &&
    !/^(?:about|for|regarding)$/.test(evidence.preposition);
  if (isNoName && !parameter.required && parameter.words.some((word) => nameWords.has(word))) return undefined;
  let score =
    textScores.phrase +
    2 * affinity +
    aboutAffinity(parameter, evidence.near) +
    (parameter.required ? textScores.requiredPhrase : 0);
  const isValue = !tokens.some((token) => context.knows(token.stem) || abstractNouns.has(token.lower));
  score +=
    (isValue ? placeFit(parameter, evidence) : 0) +
    (parameter.isPlace ? textScores.phraseForPlace : 0) +
    directionFit(parameter, evidence);
  if (
    /^(?:about|on|regarding)$/.test(evidence.preposition) &&
    has(parameter, /topic|subject|title|about|query|theme|text|content/)
  )
    score += textScores.topic;
  if (parameter.words.some((word) => instructionWords.has(word))) score += textScores.phraseForInstruction;
  if (evidence.beforeNoun) score += textScores.phraseBeforeNoun;
  return { score, value: wrap(parameter, whole) };
}

/** "horror books", "which furniture is in stock" for a `genre` or `category`: words that no resource knows say of what kind things are. */
function kindSaid(parameter: Parameter, evidence: Evidence, context: FitContext): Fit | undefined {
  const { tokens, preposition, afterNoun } = evidence;
  if (!kindNouns.has(parameter.words.at(-1) ?? "") || preposition !== "" || afterNoun) return undefined;
  const isOpen = ({ kind, stem: own, lower }: Token) =>
    kind === "word" &&
    !context.knows(own) &&
    ![abstractNouns, emptyNouns, superlatives].some((each) => each.has(lower));
  const from = tokens.findLastIndex((token) => !isOpen(token)) + 1;
  const [first, last] = [tokens[from], tokens.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const value = evidence.text.slice(first.start - tokens[0]!.start, last.end - tokens[0]!.start);
  return { score: textScores.kind, value: wrap(parameter, value), used: tokens.slice(from).map((_, at) => from + at) };
}

const kindNouns: ReadonlySet<string> = new Set([
  "genre",
  "category",
  "cuisine",
  "sector",
  "industry",
  "discipline",
  "species",
  "theme",
]);

const kinds: ReadonlySet<string> = new Set([
  "type",
  "kind",
  "name",
  "category",
  "class",
  "title",
  "label",
  "description",
  "text",
  "value",
]);
