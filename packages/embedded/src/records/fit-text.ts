import { aboutAffinity, hasStem, isPerson, isPlaceByName, nameAffinity } from "../catalogue/affinity.ts";
import { isOfItsForm } from "../catalogue/allows.ts";
import { idAgreement, isForeignId } from "../catalogue/id-forms.ts";
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
import { isStreet } from "../language/text/literals.ts";
import { isParticiple } from "../language/text/participle.ts";
import { singular } from "../language/text/singular.ts";
import { sameStem, stem } from "../language/text/stem.ts";
import type { Token } from "../language/text/token.ts";
import { announces, type Evidence } from "./evidence.ts";
import type { Fit, FitContext } from "./fit-context.ts";
import { isCode, isIdOfAnotherThing } from "./ids-of-others.ts";

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
      return literal(parameter, evidence, context);
    case "name":
      return name(parameter, evidence, context);
    default:
      if (evidence.tokens.every((token) => foundNouns.has(token.lower) || emptyNouns.has(token.lower)))
        return undefined;
      return nounPhrase(parameter, evidence, context);
  }
}

/** What speaks for a text as the value of a parameter; comparable with the scores of other evidence (`fit.ts`). */
const textScores = {
  quotation: 1.5,
  quotationForName: 0.6,
  quotationForId: -1,
  address: 4,
  link: 4,
  linkElsewhere: 0.8,
  file: 3,
  fileElsewhere: 1.2,
  telephone: 3.5,
  version: 3.5,
  street: 3.5,
  telephoneElsewhere: 0.3,
  idOfEntity: 4,
  idOfOwn: 1.6,
  idOfOther: 1,
  /** A code, where the call needs one id. */
  onlyId: 1,
  literal: 0.6,
  /** A thing of which is said how many, for a list of things with numbers. */
  countedItem: 2,
  /** An id that is, or is not, behind the preposition that the description has before such a thing. */
  receiver: 1.5,
  /** The id of a thing that a text does not name. */
  foreignId: -2,
  name: 0.5,
  maker: 2,
  /** Makes up for `undirected`. */
  recipient: 2.5,
  makerForPlace: -1,
  /** A name beside nothing, for what is found by its name: more than `placeScores.loose` and `byName`. */
  ownName: 1.5,
  /** The same for a text to search by: a little less, since a name is said by its own word. */
  sought: 1.4,
  personAfterFor: 1,
  topic: 1.5,
  /** A quotation that is what a text says. */
  quotedContent: 2.5,
  announcedName: 1.5,
  onlyFreeText: 1,
  nameForKind: -1,
  /** Words that no resource knows, before the noun, for a genre or category. */
  kind: 1.6,
  phrase: 0.3,
  phraseForPlace: -0.4,
  phraseForInstruction: 0.2,
  phraseBeforeNoun: -0.6,
  /** The parameter's own noun is at the end of the phrase, or at its beginning. */
  labelled: 3,
  labelledBeforeNoun: 2.6,
  required: 0.5,
  requiredPhrase: 0.4,
  requiredFile: 0.3,
} as const;
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
const directionScores = { same: 2, opposite: -4, undirected: -1.5 } as const;

const has = (parameter: Parameter, pattern: RegExp) => pattern.test(parameter.words.join("_"));
const wrap = (parameter: Parameter, value: string) => (parameter.takesList && !parameter.takesOne ? [value] : value);

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

function literal(parameter: Parameter, evidence: Evidence, context: FitContext): Fit | undefined {
  const { text } = evidence;
  // An address is not an id, though its words are near.
  if (parameter.isIdentifier && /.@|:\/\//.test(text)) return undefined;
  const value = wrap(parameter, text.replace(/^#(?=\w)/, ""));
  const affinity = 2 * nameAffinity(parameter, evidence.near) + aboutAffinity(parameter, evidence.near);
  if (/^[^\s@]+@[^\s@]+$/.test(text) && !text.startsWith("@")) {
    const mail =
      parameter.format === "email" ||
      has(parameter, /e_?mail|address|recipient|to$|^from|sender|attendee|invitee|participant|guest/);
    return mail ? { score: textScores.address + affinity, value } : { score: affinity, value };
  }
  if (/^[a-z0-9]+:\/\/|^www\./i.test(text)) {
    const link = parameter.format.startsWith("uri") || has(parameter, /url|uri|link|website|site|page|href/);
    return { score: (link ? textScores.link : textScores.linkElsewhere) + affinity, value };
  }
  if (/\.[a-z]{2,5}\d?$/i.test(text)) {
    const file = has(parameter, /file|path|document|image|photo|picture|audio|video|attachment|source|input/);
    return {
      score:
        (file ? textScores.file : textScores.fileElsewhere) +
        affinity +
        (parameter.required ? textScores.requiredFile : 0),
      value,
    };
  }
  if (/^\+?\d[\d() .-]{6,}$/.test(text)) {
    const dialled = has(parameter, /phone|mobile|cell|tel|fax|number|contact|recipient|^to$/);
    return { score: (dialled ? textScores.telephone : textScores.telephoneElsewhere) + affinity, value };
  }
  if (isStreet(text)) {
    const isPlace = parameter.isPlace || has(parameter, /address|street|venue|location|place|pick_?up|drop_?off/);
    const score = isPlace ? textScores.street + directionFit(parameter, evidence) : 0;
    return parameter.isIdentifier ? undefined : { score: score + affinity, value };
  }
  if (/^[[{]/.test(text)) return undefined;
  if (/^v?\d+(?:\.\d+){2,}/i.test(text) && has(parameter, /version|release|^tag|build/))
    return { score: textScores.version + affinity, value };
  if (isIdOfAnotherThing(parameter, evidence, context)) return undefined;
  const isShaped = idAgreement(parameter, text, parameter.isIdentifier);
  if (isShaped === false && parameter.isIdentifier) return undefined;
  if (parameter.isIdentifier) {
    const own = parameter.entity.length === 0 || parameter.entity.every((noun) => context.entity.includes(noun));
    const near = parameter.entity.length > 0 && parameter.entity.some((noun) => hasStem(evidence.near, stem(noun)));
    // "show order O-1" and "was O-1 cancelled" name an order and no customer, though orders may be listed by customer.
    const isLoose = evidence.preposition === "" && !evidence.beforeNoun;
    if (!parameter.required && !own && !near && isShaped !== true && (evidence.afterNoun || isLoose)) return undefined;
    const score =
      near || isShaped === true || (own && evidence.afterNoun)
        ? textScores.idOfEntity
        : own
          ? textScores.idOfOwn
          : textScores.idOfOther;
    const isOnly = isCode.test(text) && parameter.required && context.parameters.filter(isNeededId).length === 1;
    const direction = parameter.direction ?? describedDirection(parameter.description);
    const side = direction === undefined ? 0 : directionFit({ ...parameter, direction }, evidence);
    const counted = evidence.counted === true && isItem(parameter, context) ? textScores.countedItem : 0;
    const given = isShaped === true || near ? 0 : receiverFit(parameter, evidence, context);
    return { score: score + affinity + side + counted + given + (isOnly ? textScores.onlyId : 0), value };
  }
  const foreign = isShaped === false ? textScores.foreignId : 0;
  const counted = evidence.counted === true && isItem(parameter, context) ? textScores.countedItem : 0;
  const required = parameter.required ? textScores.required : 0;
  return { score: textScores.literal + affinity + foreign + counted + required, value };
}

/** "Assign J-1 to T-9" by what assigns "a job to a translator": T-9 is the translator, and J-1 the job. */
function receiverFit({ entity }: Parameter, { preposition }: Evidence, { receiver, parameters }: FitContext): number {
  const isReceiver = (nouns: readonly string[]) => receiver !== undefined && nouns.includes(receiver);
  const ids = parameters.filter((other) => other.required && other.isIdentifier);
  if (ids.length < 2 || !ids.some((other) => isReceiver(other.entity))) return 0;
  if (!/^(?:to|into)?$/.test(preposition)) return 0;
  return (preposition !== "") === isReceiver(entity) ? textScores.receiver : 0;
}

/** It is in a list of objects that have a number too: `lines[].sku` beside `lines[].quantity`. */
const isItem = ({ list }: Parameter, { parameters }: FitContext) =>
  list !== undefined &&
  parameters.some(
    (other) => other.list?.join("\0") === list.join("\0") && (other.types.has("integer") || other.types.has("number")),
  );

/** A description that ends in a preposition: "the bin that it comes from". */
function describedDirection(description: string): Parameter["direction"] {
  const [, word] = /\b(to|into|onto|from|out of)[.)]?\s*$/i.exec(description) ?? [];
  return word === undefined ? undefined : /^(?:from|out)/i.test(word) ? "origin" : "target";
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

const isNeededId = (parameter: Parameter) => parameter.required && parameter.isIdentifier;

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

/** "from" for an origin, "to" for a destination; never the other way round. */
export function directionFit(parameter: Parameter, evidence: Evidence): number {
  const from = evidence.preposition === "from" || evidence.preposition === "between";
  const to = evidence.preposition === "to" || evidence.preposition === "into" || evidence.preposition === "towards";
  if (parameter.direction === undefined) return to ? directionScores.undirected : 0;
  if (!from && !to) return 0;
  return (parameter.direction === "origin") === from ? directionScores.same : directionScores.opposite;
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
