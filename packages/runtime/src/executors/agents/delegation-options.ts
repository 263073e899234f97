import type { OptionChecks } from "@planloom/plan";
import { invalid } from "../../invalid-option.ts";

/** How an agent may hand parts of its work on. */
export interface DelegationOptions {
  /** How deep: with 1, parts are not handed on again; at most 3. @default 1 */
  readonly depth?: number;
  /** Parts that one agent may hand on, at least 1. @default 16 */
  readonly maxParts?: number;
}

/** Ranges are checked by `checkDelegation`. */
export const delegationChecks = { depth: "own", maxParts: "own" } as const satisfies OptionChecks<DelegationOptions>;

/** Each level nests two plans, and plans nest eight deep. */
const mostDepth = 3;

/**
 * @param of whose option it is, as in `agent "worker"`
 * @throws RuntimeError INVALID_OPTION
 */
export function checkDelegation(delegation: DelegationOptions, of: string): void {
  const { depth = 1, maxParts = 1 } = delegation;
  const isDepth = Number.isInteger(depth) && depth >= 1 && depth <= mostDepth;
  if (!isDepth) throw invalid("delegation.depth", `an integer from 1 to ${mostDepth} (${of})`, depth);
  if (Number.isInteger(maxParts) && maxParts >= 1) return;
  throw invalid("delegation.maxParts", `an integer of at least 1 (${of})`, maxParts);
}
