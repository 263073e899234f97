import type { Parameter } from "../catalogue/parameter.ts";
import type { Phrase } from "../language/clauses/phrases.ts";
import type { Clock } from "../language/temporal/calendar.ts";
import type { Token } from "../language/text/token.ts";

/** How well a piece of evidence suits a parameter, and what the argument would be. */
export interface Fit {
  /** Below `minFitScore` it is no more than a guess. */
  readonly score: number;
  readonly value: unknown;
  /** The part of the evidence that was used; absent: all of it. */
  readonly used?: readonly number[];
}

/** What a fit may look at beside the evidence. */
export interface FitContext {
  readonly clock: Clock;
  readonly phrases: readonly Phrase[];
  /** Words of the clause. */
  readonly tokens: readonly Token[];
  /** Things (singular) of which all are meant. */
  readonly allOf: ReadonlySet<string>;
  /** Parameters of the same resource. */
  readonly parameters: readonly Parameter[];
  /** The resource reads rather than changes. */
  readonly reads: boolean;
  /** Nouns (singular) the resource is about. */
  readonly entity: readonly string[];
  /** Its rows have the ids of other things, and no parameter takes these. */
  readonly owned: boolean;
  /** What something is done to or given to, by the description: "translator" of "Assign a job to a translator". */
  readonly receiver?: string | undefined;
  /** Some resource mentions the stem: such a word is not a free value. */
  knows(stem: string): boolean;
}
