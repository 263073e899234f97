import type { Draft } from "../../draft/draft.ts";
import type { Span } from "../../language/clauses/spans.ts";
import type { Features, Group } from "../learned/weigh.ts";
import type { ParameterReading } from "./parameter-reading.ts";

/** A value that an argument could take, with what speaks for it. */
export interface Candidate {
  readonly group: Group;
  readonly reading: ParameterReading;
  readonly features: Features;
  /** Features that an excerpt brings to every parameter, and what they add for this one's sort. */
  readonly shared?: { readonly features: Features; readonly odds: number };
  /** Log-odds of what is said outright, beside what is learned. @default 0 */
  readonly outright?: number;
  /** Tokens of the call that it uses up; several for a list. */
  readonly parts: readonly (readonly [from: number, to: number])[];
  /** The spans that it uses up. */
  readonly spans: readonly Span[];
  readonly value?: unknown;
  readonly link?: { readonly source: Draft; readonly path: string };
  /** Which part of a date it is; others may take the other parts. */
  readonly facet?: "day" | "month" | "year" | "start" | "end" | "part of day" | `clock ${number}`;
  /** The schema says that it holds just this: a day for a date. */
  readonly fits?: boolean;
  /** As it is written in the goal, or where it comes from. */
  readonly said: string;
}
