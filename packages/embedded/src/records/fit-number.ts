import { aboutAffinity, nameAffinity } from "../catalogue/affinity.ts";
import type { Parameter } from "../catalogue/parameter.ts";
import { boundHigh, boundLow, dateWords } from "../language/text/lexicon.ts";
import { stem } from "../language/text/stem.ts";
import type { Evidence } from "./evidence.ts";
import type { Fit, FitContext } from "./fit-context.ts";
import { directionFit } from "./text-scores.ts";

const overs: ReadonlySet<string> = new Set(["over", "above", "from", "exceeding", "beyond", "between"]);
const unders: ReadonlySet<string> = new Set(["under", "below", "within", "to"]);
const units = new Map([
  ["kg", "kilogram"],
  ["g", "gram"],
  ["t", "tonne"],
  ["km", "kilometer"],
  ["m", "meter"],
  ["cm", "centimeter"],
  ["mm", "millimeter"],
  ["mi", "mile"],
  ["lb", "pound"],
  ["lbs", "pound"],
  ["l", "liter"],
  ["ml", "milliliter"],
  ["%", "percent"],
  ["$", "dollar"],
  ["€", "euro"],
  ["h", "hour"],
  ["min", "minute"],
  ["s", "second"],
  ["ms", "millisecond"],
]);

/** What speaks for a number as the value of a parameter; comparable with the scores of other evidence (`fit.ts`). */
const numberScores = {
  base: 0.6,
  asText: 1.5,
  asId: 2,
  asLimit: 4,
  required: 0.5,
  onlyNumber: 0.5,
  /** "5 orders" counts rows; it is not a property of an order. */
  countsRows: -1,
  /** It holds a date. */
  forDate: -0.8,
  statedUnit: 1.5,
  otherUnit: 0.2,
  sameBound: 2,
  otherBound: -4,
  boundWithoutWords: -0.4,
  wordsWithoutBound: -0.5,
} as const;
/** A text parameter takes a number where the words around it say its name at least this clearly. */
const minAffinityForText = 1.5;

/** A number for a numeric parameter (or a text one whose name comes right before it), by name, unit and comparison. */
export function fitNumber(parameter: Parameter, evidence: Evidence, context: FitContext): Fit | undefined {
  const { value } = evidence;
  if (value === undefined || parameter.format.startsWith("date")) return undefined;
  const numeric = parameter.types.has("number") || parameter.types.has("integer");
  const affinity = 2 * nameAffinity(parameter, evidence.near) + aboutAffinity(parameter, evidence.near);
  if (!numeric) {
    if (parameter.types.size > 0 && !parameter.types.has("string")) return undefined;
    const identifies = parameter.isIdentifier && (evidence.afterNoun || affinity >= 1) && evidence.unit === undefined;
    if (!identifies && affinity < minAffinityForText) return undefined;
    const side = identifies ? directionFit(parameter, evidence) : 0;
    return { score: numberScores.asText + affinity + side, value: wrap(parameter, evidence.text) };
  }
  if (parameter.types.has("integer") && !parameter.types.has("number") && !Number.isInteger(value)) return undefined;
  if (!inBounds(parameter, value)) return undefined;
  // What changes something takes a number of pieces, not of rows.
  if (parameter.isLimit && (context.reads || !parameter.required)) return limit(evidence, context, affinity);
  if (evidence.unit === undefined && parameter.isIdentifier) {
    return evidence.afterNoun || affinity >= 1
      ? { score: numberScores.asId + affinity + directionFit(parameter, evidence), value: wrap(parameter, value) }
      : undefined;
  }
  if (parameter.isIdentifier) return undefined;
  let score = numberScores.base + affinity + unitFit(parameter, evidence);
  if (parameter.required) score += numberScores.required;
  score += comparison(parameter, evidence);
  const others = context.parameters.filter(
    (other) =>
      other !== parameter &&
      !other.isLimit &&
      !other.isIdentifier &&
      (other.types.has("number") || other.types.has("integer")),
  );
  if (others.length === 0 && !evidence.afterNoun) score += numberScores.onlyNumber;
  if (evidence.beforeNoun && affinity < 1 && context.reads) score += numberScores.countsRows;
  if (parameter.stems.some((each) => dateStems.has(each)) && affinity < 1) score += numberScores.forDate;
  return { score, value: wrap(parameter, value) };
}

const dateStems: ReadonlySet<string> = new Set([...dateWords].map(stem));

function limit(evidence: Evidence, context: FitContext, affinity: number): Fit | undefined {
  if (evidence.unit !== undefined) return undefined;
  const isNamedLimit = ["limit", "top", "first", "maximum", "most", "last"].some((word) =>
    evidence.near.has(stem(word)),
  );
  const counts = evidence.beforeNoun && (context.phrases[evidence.phrase]?.preposition ?? "") === "";
  const capped = evidence.preposition === "under" && (evidence.beforeNoun || affinity > 0);
  return isNamedLimit || counts || capped || affinity >= 1
    ? { score: numberScores.asLimit + affinity, value: evidence.value }
    : undefined;
}

function unitFit(parameter: Parameter, evidence: Evidence): number {
  if (evidence.unit === undefined) return 0;
  const name = units.get(evidence.unit);
  const parameterStems = [...parameter.about, ...parameter.stems];
  if (evidence.unit === "%" && parameterStems.some((each) => each.startsWith("percent") || each === "rate"))
    return numberScores.statedUnit;
  const known = parameterStems.some(
    (each) => each === stem(evidence.unit ?? "") || (name !== undefined && each === stem(name)),
  );
  return known ? numberScores.statedUnit : numberScores.otherUnit;
}

function comparison(parameter: Parameter, evidence: Evidence): number {
  const low = parameter.words.some((word) => boundLow.has(word));
  const high = parameter.words.some((word) => boundHigh.has(word));
  const { bound } = evidence;
  const over =
    bound === undefined
      ? overs.has(evidence.preposition) ||
        ["minimum", "least", "min", "exceed"].some((word) => evidence.near.has(stem(word)))
      : bound === "low";
  const under =
    bound === undefined
      ? unders.has(evidence.preposition) || ["maximum", "most", "max"].some((word) => evidence.near.has(stem(word)))
      : bound === "high";
  if (!low && !high) return over || under ? numberScores.wordsWithoutBound : 0;
  if ((low && over) || (high && under)) return numberScores.sameBound;
  if ((low && under) || (high && over)) return numberScores.otherBound;
  return numberScores.boundWithoutWords;
}

function inBounds(parameter: Parameter, value: number): boolean {
  const { minimum, maximum } = parameter.schema;
  return !(typeof minimum === "number" && value < minimum) && !(typeof maximum === "number" && value > maximum);
}

function wrap(parameter: Parameter, value: unknown): unknown {
  return parameter.takesList && !parameter.takesOne ? [value] : value;
}
