import { fitDate } from "../catalogue/fit-date.ts";
import { idAgreement } from "../catalogue/id-forms.ts";
import type { Parameter } from "../catalogue/parameter.ts";
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
  if (parameter.choices.length > 0) return fitChoice(parameter, evidence, context);
  if (parameter.types.has("boolean") && !parameter.types.has("string")) return fitFlag(parameter, evidence, context);
  if (evidence.kind === "number" && parameter.isIdentifier && idAgreement(parameter, evidence.text) === false)
    return undefined;
  if (evidence.kind === "number") return fitNumber(parameter, evidence, context);
  return fitText(parameter, evidence, context);
}
