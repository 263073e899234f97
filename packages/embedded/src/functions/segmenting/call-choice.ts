import type { Catalogue } from "../../catalogue/catalogue.ts";

/** How the calls of a plan were chosen; the confidence in the plan is estimated from it. */
export interface CallChoice {
  /** Of each call, in the order of the plan: what speaks for it, and what speaks for the next best resource. */
  readonly segments: readonly { readonly score: number; readonly second: number }[];
  readonly catalogue: Catalogue;
}
