import { aboutAffinity, hasStem, isPerson, isPlaceByName, nameAffinity } from "../catalogue/affinity.ts";
import type { Parameter } from "../catalogue/parameter.ts";
import {
  abstractNouns,
  emptyNouns,
  foundNouns,
  instructionWords,
  nameWords,
  placePrepositions,
} from "../language/text/lexicon.ts";
import { sameStem, stem } from "../language/text/stem.ts";
import { announces, type Evidence } from "./evidence.ts";
import type { Fit, FitContext } from "./fit-context.ts";

/** Names, quoted texts, ids and noun phrases for parameters of free text. */
export function fitText(parameter: Parameter, evidence: Evidence, context: FitContext): Fit | undefined {
  const textual = parameter.types.size === 0 || parameter.types.has("string");
  if (!textual || parameter.holdsDay || evidence.negated) return undefined;
  switch (evidence.kind) {
    case "quoted":
      return quoted(parameter, evidence);
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

const has = (parameter: Parameter, pattern: RegExp) => pattern.test(parameter.words.join("_"));
const wrap = (parameter: Parameter, value: string) => (parameter.takesList && !parameter.takesOne ? [value] : value);

function quoted(parameter: Parameter, evidence: Evidence): Fit {
  const affinity = 2 * nameAffinity(parameter, evidence.near) + aboutAffinity(parameter, evidence.near);
  let score = 1.5 + affinity + (parameter.required ? 0.5 : 0);
  if (parameter.words.some((word) => nameWords.has(word))) score += 0.6;
  if (parameter.isIdentifier && affinity < 1) score -= 1;
  return {
    score: score + placeFit(parameter, evidence) + directionFit(parameter, evidence),
    value: wrap(parameter, evidence.text),
  };
}

function literal(parameter: Parameter, evidence: Evidence, context: FitContext): Fit | undefined {
  const { text } = evidence;
  // An address is no id, though its words stand near.
  if (parameter.isIdentifier && /.@|:\/\//.test(text)) return undefined;
  const value = wrap(parameter, text.replace(/^#(?=\w)/, ""));
  const affinity = 2 * nameAffinity(parameter, evidence.near) + aboutAffinity(parameter, evidence.near);
  if (/^[^\s@]+@[^\s@]+$/.test(text) && !text.startsWith("@")) {
    const mail = parameter.format === "email" || has(parameter, /e_?mail|address|recipient|to$/);
    return mail ? { score: 4 + affinity, value } : { score: affinity, value };
  }
  if (/^[a-z0-9]+:\/\/|^www\./i.test(text)) {
    const link = parameter.format.startsWith("uri") || has(parameter, /url|uri|link|website|site|page|href/);
    return { score: (link ? 4 : 0.8) + affinity, value };
  }
  if (/\.[a-z]{2,5}\d?$/i.test(text)) {
    const file = has(parameter, /file|path|document|image|photo|picture|audio|video|attachment|source|input/);
    return { score: (file ? 3 : 1.2) + affinity + (parameter.required ? 0.3 : 0), value };
  }
  if (/^\+?\d[\d() .-]{6,}$/.test(text)) {
    const dialled = has(parameter, /phone|mobile|cell|tel|fax|number|contact|recipient|^to$/);
    return { score: (dialled ? 3.5 : 0.3) + affinity, value };
  }
  if (/^[[{]/.test(text)) return undefined;
  if (parameter.isIdentifier) {
    const own = parameter.entity.length === 0 || parameter.entity.every((noun) => context.entity.includes(noun));
    const near = parameter.entity.length > 0 && parameter.entity.some((noun) => hasStem(evidence.near, stem(noun)));
    return { score: (near || (own && evidence.afterNoun) ? 4 : own ? 1.6 : 1) + affinity, value };
  }
  return { score: 0.6 + affinity + (parameter.required ? 0.5 : 0), value };
}

function name(parameter: Parameter, evidence: Evidence, context: FitContext): Fit | undefined {
  if (parameter.isIdentifier) return undefined;
  const affinity = 2 * nameAffinity(parameter, evidence.near) + aboutAffinity(parameter, evidence.near);
  let score = 0.5 + affinity + placeFit(parameter, evidence) + directionFit(parameter, evidence);
  if (parameter.required) score += 0.5;
  if (evidence.preposition === "by" || evidence.preposition === "via" || evidence.preposition === "through") {
    if (isPerson(parameter)) score += 2;
    if (parameter.isPlace) score -= 1;
  }
  if (evidence.preposition === "for" && isPerson(parameter)) score += 1;
  if (
    /^(?:about|on|regarding|of)$/.test(evidence.preposition) &&
    has(parameter, /topic|subject|title|about|query|theme/)
  )
    score += 1.5;
  if (evidence.tokens.some(announces) || [...announced].some((word) => evidence.near.has(word))) {
    if (parameter.words.some((word) => nameWords.has(word))) score += 1.5;
  }
  const free = context.parameters.filter((other) => isFreeText(other));
  if (free.length === 1 && isFreeText(parameter)) score += 1;
  if (has(parameter, /(?:^|_)(?:type|kind|category|class|status|mode|format|unit)$/)) score -= 1;
  return { score, value: wrap(parameter, evidence.text) };
}

const announced: ReadonlySet<string> = new Set([
  stem("named"),
  stem("called"),
  stem("titled"),
  stem("name"),
  stem("title"),
]);

function isFreeText(parameter: Parameter): boolean {
  return (
    parameter.types.has("string") &&
    parameter.choices.length === 0 &&
    !parameter.isIdentifier &&
    !parameter.holdsDay &&
    parameter.format === ""
  );
}

/** Where something is: after "in" or "at", or right before the noun. */
function placeFit(parameter: Parameter, evidence: Evidence): number {
  const placed = placePrepositions.has(evidence.preposition);
  const byName = isPlaceByName(parameter) ? 0.4 : 0;
  if (evidence.beforeNoun && !placed) return parameter.isPlace ? 1.6 + byName : 0;
  if (placed) return parameter.isPlace ? 2.6 + byName : -0.4;
  if (evidence.preposition === "from" || evidence.preposition === "to") return parameter.isPlace ? 1.6 + byName : -0.2;
  if (evidence.preposition === "of" || evidence.preposition === "for" || evidence.preposition === "")
    return parameter.isPlace ? 1 + byName : 0;
  return 0;
}

/** "from" for an origin, "to" for a destination; never the other way round. */
export function directionFit(parameter: Parameter, evidence: Evidence): number {
  const from = evidence.preposition === "from" || evidence.preposition === "between";
  const to = evidence.preposition === "to" || evidence.preposition === "into" || evidence.preposition === "towards";
  if (parameter.direction === undefined) return to ? -1.5 : 0;
  if (!from && !to) return 0;
  return (parameter.direction === "origin") === from ? 2 : -4;
}

/** "blue paper" for `paper_colour` is no match; "blue paper type" and, for `paper_type`, "glossy paper" are. */
function nounPhrase(parameter: Parameter, evidence: Evidence, context: FitContext): Fit | undefined {
  const { tokens } = evidence;
  if (parameter.isIdentifier) return undefined;
  const telling = parameter.words.filter((word) => !kinds.has(word));
  const wanted = (telling.length > 0 ? telling : parameter.words).map(stem);
  const affinity = nameAffinity(parameter, evidence.near);
  // The parameter's own noun ends the phrase and something stands before it: "glossy photo paper" for `paper_type`.
  const tail = tokens.length - wanted.length;
  const ends = tail > 0 && wanted.every((each, offset) => sameStem(tokens[tail + offset]?.stem ?? "", each));
  const whole = evidence.text;
  if (ends) {
    const last = tokens[tail - 1]!;
    const value = whole.slice(0, last.end - (tokens[0]?.start ?? 0));
    return { score: evidence.beforeNoun ? 2.6 : 3, value: wrap(parameter, value) };
  }
  // The noun opens the phrase and the value follows: "topic renewable energy".
  const opens =
    tokens.length > wanted.length && wanted.every((each, offset) => sameStem(tokens[offset]?.stem ?? "", each));
  if (opens) {
    const at = tokens.findIndex((token, index) => index >= wanted.length && !parameter.stems.includes(token.stem));
    const first = tokens[at];
    if (first === undefined) return undefined;
    return { score: 3, value: wrap(parameter, whole.slice(first.start - (tokens[0]?.start ?? 0))) };
  }
  let score = 0.3 + 2 * affinity + aboutAffinity(parameter, evidence.near) + (parameter.required ? 0.4 : 0);
  const isValue = !tokens.some((token) => context.knows(token.stem) || abstractNouns.has(token.lower));
  score +=
    (isValue ? placeFit(parameter, evidence) : 0) - (parameter.isPlace ? 0.4 : 0) + directionFit(parameter, evidence);
  if (
    /^(?:about|on|regarding)$/.test(evidence.preposition) &&
    has(parameter, /topic|subject|title|about|query|theme|text|content/)
  )
    score += 1.5;
  if (parameter.words.some((word) => instructionWords.has(word))) score += 0.2;
  if (evidence.beforeNoun) score -= 0.6;
  return { score, value: wrap(parameter, whole) };
}

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
