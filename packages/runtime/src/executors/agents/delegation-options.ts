import type { OptionChecks } from "@planloom/plan";

/** How an agent may hand parts of its work on. */
export interface DelegationOptions {
  /** How deep: with 1, parts are not handed on again; at most 3. @default 1 */
  readonly depth?: number;
  /** Parts that one agent may hand on, at least 1. @default 16 */
  readonly maxParts?: number;
}

/** Ranges are checked with the agent. */
export const delegationChecks = { depth: "own", maxParts: "own" } as const satisfies OptionChecks<DelegationOptions>;

/** Each level nests two plans, and plans nest eight deep. */
export const mostDepth = 3;
