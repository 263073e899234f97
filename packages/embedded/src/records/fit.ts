import { fitDate } from "../catalogue/fit-date.ts";
import { idAgreement } from "../catalogue/id-forms.ts";
import { isKindOfId } from "../catalogue/kinds-of-ids.ts";
import { ownersOf } from "../catalogue/nouns-of-ids.ts";
import type { Parameter } from "../catalogue/parameter.ts";
import { emptyNouns, identifierWords } from "../language/text/lexicon.ts";
import { isNamed } from "../language/text/locale-names.ts";
import { sameStem, stem } from "../language/text/stem.ts";
import type { Evidence } from "./evidence.ts";
import { fitChoice, fitFlag } from "./fit-choice.ts";
import type { Fit, FitContext } from "./fit-context.ts";
import { fitNumber } from "./fit-number.ts";
import { fitText } from "./fit-text.ts";

/** A fit with at least this score is taken: a value of the right type whose words say something of the parameter. Set by hand. */
export const minFitScore = 1.5;

/** Undefined when the types rule it out. Higher scores are better; they compare across parameters and evidence. */
export function fit(parameter: Parameter, evidence: Evidence, context: FitContext): Fit | undefined {
  if (evidence.kind === "date") return fitDate(parameter, evidence, context);
  if (parameter.isIdentifier && isOfAnother(parameter, evidence, context)) return undefined;
  if (parameter.choices.length > 0) return fitChoice(parameter, evidence, context);
  if (parameter.types.has("boolean") && !parameter.types.has("string")) return fitFlag(parameter, evidence, context);
  if (evidence.kind === "number" && parameter.isIdentifier && idAgreement(parameter, evidence.text) === false)
    return undefined;
  // "below 5" says how many, and no text which one.
  if (evidence.kind === "number" && bounding.test(evidence.preposition) && !holdsNumber(parameter)) return undefined;
  if (evidence.kind === "number") return fitNumber(parameter, evidence, context);
  const isCurrency = evidence.kind === "words" && isNamed(evidence.text, "currency");
  if (isCurrency && !parameter.words.some((word) => monies.test(word))) return undefined;
  return fitText(parameter, evidence, context);
}

/** Are in the names of what takes the "euros" of "20 euros". */
const monies = /^(?:currency|currencies|units?|money)$/;

const bounding = /^(?:below|above|under|over|than)$/;
const holdsNumber = ({ types, isLimit, words }: Parameter): boolean =>
  types.size === 0 ||
  types.has("number") ||
  types.has("integer") ||
  isLimit ||
  words.some((word) => amounts.test(word));
const amounts =
  /^(?:price|cost|amount|qty|quantity|size|weight|length|width|height|age|year|min|max|from|to|under|over|below|above|range|budget|level|value|score|count)$/;

/**
 * "below 5 pieces" and "aisle 4" do not identify an item, nor does "appointment A-5" identify a patient where some resource takes ids of appointments.
 */
function isOfAnother(
  parameter: Parameter,
  { kind, of, counts, preposition, text, tokens: [value] }: Evidence,
  { entity, tokens }: FitContext,
): boolean {
  if (kind !== "number" && kind !== "literal") return false;
  if (kind === "number" && (counts === true || comparing.has(preposition))) return true;
  const own = parameter.entity.length > 0 ? parameter.entity : entity;
  // "the appointment of A-5": whose it is, and not which.
  const [thing, link] = value === undefined ? [] : tokens.slice(Math.max(0, tokens.indexOf(value) - 2));
  if (link?.lower === "of" && own.includes(thing?.noun ?? "")) return idAgreement(parameter, text) !== true;
  if (of === undefined) return false;
  const names = [...own.map(stem), ...parameter.stems, ...ownersOf(parameter)];
  if (names.some((each) => sameStem(each, of))) return false;
  return kind === "literal" ? isKindOfId(parameter, of) : !says.has(of);
}

const comparing: ReadonlySet<string> = new Set(["below", "above", "under", "over", "than", "between", "within"]);
/** Stems of words that announce an id. */
const says: ReadonlySet<string> = new Set([...identifierWords, ...emptyNouns].map(stem));
