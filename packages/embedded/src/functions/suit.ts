import { isPerson, isPlaceByName } from "../build/affinity.ts";
import { flagStems, type Parameter } from "../schema/parameter.ts";
import { nameWords, placePrepositions } from "../text/lexicon.ts";
import { sameStem, stem } from "../text/stem.ts";
import { innerStems, type Span } from "./spans.ts";

/** How well a span suits a parameter, and the argument it makes. */
export interface Suit {
  readonly score: number;
  readonly value: unknown;
}

/** Stems that say what is called or what was found, rather than with what to call. */
export interface Known {
  readonly names: ReadonlySet<string>;
  /** Of the parameters: such a word announces a value and is none. */
  readonly labels: ReadonlySet<string>;
  /** Of the fields that earlier calls yield. */
  readonly results: ReadonlySet<string>;
}

const units: ReadonlyMap<string, string> = new Map([
  ["%", "percent"],
  ["$", "dollar"],
  ["€", "euro"],
  ["£", "pound"],
  ["kg", "kilogram"],
  ["g", "gram"],
  ["km", "kilometer"],
  ["m", "meter"],
  ["cm", "centimeter"],
  ["h", "hour"],
  ["min", "minute"],
  ["s", "second"],
]);

const kinds: ReadonlySet<string> = new Set(
  ["name", "type", "kind", "category", "id", "value", "text", "title", "list"].map(stem),
);

/** Undefined: the types rule it out. Days, allowed values and switches are read elsewhere. */
export function suit(parameter: Parameter, span: Span, known: Known): Suit | undefined {
  const value = argumentFrom(parameter, span);
  if (value === undefined) return undefined;
  let score = kindScore(parameter, span) + nearness(parameter, span);
  score += parameter.required ? 0.3 : 0;
  if (span.kind === "phrase" || span.kind === "name") {
    const inner = innerStems(span);
    const own = inner.filter((each) => known.names.has(each)).length;
    const found = inner.filter((each) => known.results.has(each)).length;
    const weight = span.kind === "name" ? 0.5 : 1;
    score -= inner.length === 0 ? 1.5 : (weight * (0.9 * own + 0.6 * found)) / inner.length;
    if (span.pointsBack) score -= 0.5;
    if (inner.length > 0 && inner.every((each) => known.labels.has(each))) score -= span.kind === "phrase" ? 1 : 0.3;
  }
  const told = innerStems(span).filter((each) => parameter.about.has(each) && !parameter.stems.includes(each)).length;
  score += Math.min(0.6, 0.4 * told);
  return { score, value };
}

function argumentFrom(parameter: Parameter, span: Span): unknown {
  const { types } = parameter;
  const numeric = types.has("number") || types.has("integer");
  const textual = types.size === 0 || types.has("string");
  const list = parameter.takesList && !parameter.takesOne;
  if (span.kind === "list") {
    if (Array.isArray(span.value) ? list : types.has("object")) return span.value;
    return textual && !list ? span.text : undefined;
  }
  if (span.kind === "number") {
    if (!numeric) return textual && !parameter.holdsDay ? wrap(list, span.text) : undefined;
    let value = span.value as number;
    if (span.unit === "%" && /\bdecimal|fraction|between 0 and 1\b/i.test(parameter.description)) value /= 100;
    if (!types.has("number") && !Number.isInteger(value)) return undefined;
    const { minimum, maximum } = parameter.schema;
    if ((typeof minimum === "number" && value < minimum) || (typeof maximum === "number" && value > maximum))
      return undefined;
    return wrap(list, value);
  }
  if (!textual || span.kind === "date" || parameter.holdsDay) return undefined;
  return wrap(list, span.kind === "phrase" ? trimmed(parameter, span) : span.text);
}

const wrap = (list: boolean, value: unknown) => (list ? [value] : value);

/** "prepaid plan" for `plan_type` is "prepaid"; "topic chess" for `topic` is "chess". */
function trimmed(parameter: Parameter, span: Span): string {
  const own = (word: { stem: string }) => parameter.stems.some((each) => !kinds.has(each) && sameStem(each, word.stem));
  let from = 0;
  let to = span.words.length;
  while (to - from > 1 && own(span.words[to - 1]!)) to -= 1;
  while (to - from > 1 && own(span.words[from]!)) from += 1;
  const base = span.words[0]!.start;
  return span.text.slice(span.words[from]!.start - base, span.words[to - 1]!.end - base);
}

function kindScore(parameter: Parameter, span: Span): number {
  const words = parameter.words.join("_");
  const { text } = span;
  switch (span.kind) {
    case "quoted":
      return 1.1 + (parameter.words.some((word) => nameWords.has(word)) ? 0.3 : 0) - (parameter.isIdentifier ? 0.2 : 0);
    case "list":
      return 1.2;
    case "number":
      return numberScore(parameter, span);
    case "literal": {
      if (/^[^\s@]+@[^\s@]+$/.test(text)) return /mail|recipient|address|user|contact/.test(words) ? 2.5 : 0.2;
      if (/^[a-z0-9]+:\/\/|^www\./i.test(text)) return /ur[il]|link|site|page|source/.test(words) ? 2.5 : 0.4;
      if (/^\+?\d[\d() .-]{6,}$/.test(text)) return /phone|mobile|tel|number|contact|fax/.test(words) ? 2.5 : 0.3;
      if (/\.[a-z]{2,5}\d?$/i.test(text))
        return /file|path|image|photo|audio|video|document|source|text/.test(words) ? 1.6 : 0.8;
      return parameter.isIdentifier ? 1.6 : 0.6;
    }
    case "name":
      return 0.7 + placeScore(parameter, span) + directionScore(parameter, span) - (parameter.isIdentifier ? 0.8 : 0);
    default:
      return (
        0.2 + 0.5 * placeScore(parameter, span) + directionScore(parameter, span) - (parameter.isIdentifier ? 1.2 : 0)
      );
  }
}

function numberScore(parameter: Parameter, span: Span): number {
  const numeric = parameter.types.has("number") || parameter.types.has("integer");
  if (!numeric) return parameter.isIdentifier ? 0.7 : -0.4;
  const unit = span.unit === undefined ? undefined : stem(units.get(span.unit) ?? span.unit);
  const told = unit !== undefined && (parameter.about.has(unit) || parameter.stems.includes(unit));
  const rated = span.unit === "%" && parameter.stems.some((each) => each === "rate" || each.startsWith("percent"));
  return 0.8 + (told || rated ? 1 : 0) - (parameter.isIdentifier && span.unit !== undefined ? 1 : 0);
}

function placeScore(parameter: Parameter, span: Span): number {
  const placed = placePrepositions.has(span.preposition) || /^(?:from|to)$/.test(span.preposition);
  if (parameter.isPlace) return placed ? 1 + (isPlaceByName(parameter) ? 0.3 : 0) : 0.2;
  if (isPerson(parameter)) return /^(?:by|with|for)$/.test(span.preposition) ? 0.8 : placed ? -0.5 : 0.1;
  return placePrepositions.has(span.preposition) ? -0.3 : 0;
}

function directionScore(parameter: Parameter, span: Span): number {
  const from = /^(?:from|between)$/.test(span.preposition);
  const to = /^(?:to|into|towards)$/.test(span.preposition);
  if (parameter.direction === undefined || (!from && !to)) return 0;
  return (parameter.direction === "origin") === from ? 1.5 : -2;
}

/** Words of the parameter's name or description right around the span. */
function nearness(parameter: Parameter, span: Span): number {
  const inner = span.kind === "phrase" ? innerStems(span) : [];
  let found = 0;
  let whole = 0;
  for (const each of parameter.stems) {
    const weight = kinds.has(each) ? 0.35 : 1;
    whole += weight;
    const at = span.before.findIndex((other) => sameStem(other, each));
    const right = span.after.findIndex((other) => sameStem(other, each));
    const left = at < 0 ? 0 : at === 0 ? 1 : at === 1 ? 0.85 : 0.5;
    const follows = right < 0 ? 0 : right === 0 ? 0.9 : 0.6;
    const inside = inner.some((other) => sameStem(other, each)) && inner.length > 1 ? 0.7 : 0;
    found += weight * Math.max(left, follows, inside);
  }
  const named = whole === 0 ? 0 : found / whole;
  const near = [...span.before.slice(0, 3), ...span.after.slice(0, 2)];
  const told = near.filter((each) => parameter.about.has(each)).length;
  return 1.8 * named + Math.min(0.7, 0.3 * told);
}

/** The switch is named: true, or false after "no" or "without". */
export function suitFlag(parameter: Parameter, words: readonly { stem: string; lower: string }[]): Suit | undefined {
  const wanted = flagStems(parameter);
  if (wanted.length === 0) return undefined;
  const at = words.findIndex((word) => sameStem(word.stem, wanted[0]!));
  if (at < 0 || !wanted.every((each) => words.some((word) => sameStem(word.stem, each)))) return undefined;
  const negated = words
    .slice(Math.max(0, at - 3), at)
    .some((word) => /^(?:no|not|without|don't|never)$/.test(word.lower));
  return { score: 1.6, value: !negated };
}
