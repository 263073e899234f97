import type { OptionRow } from "./option-row.ts";

/** The option from its stored form: `null` means without limit for a number, and otherwise not given. */
export function unkept({ check }: OptionRow, field: unknown): unknown {
  if (field !== null) return field;
  return check === "positive" || check === "nonNegative" || check === "count" ? Number.POSITIVE_INFINITY : undefined;
}
