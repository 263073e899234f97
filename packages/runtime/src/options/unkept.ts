import type { OptionRow } from "./option-row.ts";

/** The option again: `null` is no limit where numbers are, and nothing given elsewhere. */
export function unkept({ check }: OptionRow, field: unknown): unknown {
  if (field !== null) return field;
  return check === "positive" || check === "nonNegative" || check === "count" ? Number.POSITIVE_INFINITY : undefined;
}
