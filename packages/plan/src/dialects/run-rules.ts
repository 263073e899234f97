import { isRecord } from "../json.ts";
import type { Dialect, RunRules } from "./dialect.ts";
import { dialects } from "./dialects.ts";

/**
 * The run rules of the dialect that a plan was read from, as `metadata.dialect` names it.
 * @returns undefined for a plan of our own form, for an unknown name, and for a value that is not a plan
 */
export function runRulesOf(plan: unknown): RunRules | undefined {
  const metadata = isRecord(plan) ? plan.metadata : undefined;
  const name = isRecord(metadata) ? metadata.dialect : undefined;
  if (typeof name !== "string") return undefined;
  return Object.values<Dialect>(dialects).find((dialect) => dialect.name === name)?.runRules;
}
