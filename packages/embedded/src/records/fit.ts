import type { Parameter } from "../catalogue/parameter.ts";
import type { Phrase } from "../language/clauses/phrases.ts";
import type { Clock } from "../language/temporal/calendar.ts";
import type { Evidence } from "./evidence.ts";
import { fitChoice, fitFlag } from "./fit-choice.ts";
import { fitDate } from "./fit-date.ts";
import { fitNumber } from "./fit-number.ts";
import { fitText } from "./fit-text.ts";

/** How well a piece of evidence suits a parameter, and what the argument would be. */
export interface Fit {
  /** Below `acceptable` it is no more than a guess. */
  readonly score: number;
  readonly value: unknown;
  /** The stretch of the evidence that was used; absent: all of it. */
  readonly used?: readonly number[];
}

/** What a fit may look at beside the evidence. */
export interface FitContext {
  readonly clock: Clock;
  readonly phrases: readonly Phrase[];
  /** Parameters of the same resource. */
  readonly parameters: readonly Parameter[];
  /** The resource reads rather than changes. */
  readonly reads: boolean;
  /** Nouns (singular) the resource is about. */
  readonly entity: readonly string[];
  /** Some resource mentions the stem: such a word is no free value. */
  knows(stem: string): boolean;
}

/** A fit with at least this score is taken. */
export const acceptable = 1.5;

/** Undefined when the types rule it out. Higher scores are better; they compare across parameters and evidence. */
export function fit(parameter: Parameter, evidence: Evidence, context: FitContext): Fit | undefined {
  if (evidence.kind === "date") return fitDate(parameter, evidence, context);
  if (parameter.choices.length > 0) return fitChoice(parameter, evidence, context);
  if (parameter.types.has("boolean") && !parameter.types.has("string")) return fitFlag(parameter, evidence, context);
  if (evidence.kind === "number") return fitNumber(parameter, evidence, context);
  return fitText(parameter, evidence, context);
}
