import { invalid } from "../invalid-option.ts";
import type { OptionCheck, OptionRow } from "./option-row.ts";
import { type DefaultedName, type OptionName, optionNames, runOptionTable } from "./run-option-table.ts";

/**
 * Checks every option whose row says how, and gives those with a default of their own, defaults in place. Shapes of objects and
 * functions are checked before, by `checkShapes`.
 * @throws RuntimeError INVALID_OPTION
 */
export function readDefaulted(
  options: Readonly<Partial<Record<OptionName, unknown>>>,
): Readonly<Record<DefaultedName, unknown>> {
  const read: Record<string, unknown> = {};
  for (const name of optionNames) {
    const row: OptionRow = runOptionTable[name];
    const value = options[name] === undefined ? row.default : options[name];
    if (value === undefined) continue;
    checkValue(name, row.check, value);
    if (row.default !== undefined) read[name] = value;
  }
  return read as Readonly<Record<DefaultedName, unknown>>;
}

/** @throws RuntimeError INVALID_OPTION where a value is not what the check of its row asks for */
function checkValue(name: string, check: OptionCheck, value: unknown): void {
  const expected = expectedInstead(check, value);
  if (expected !== undefined) throw invalid(name, expected, value);
}

/** What was expected, where it is not what came. */
function expectedInstead(check: OptionCheck, value: unknown): string | undefined {
  switch (check) {
    case "positive":
      return typeof value === "number" && value > 0 ? undefined : "a number above 0";
    case "nonNegative":
      return typeof value === "number" && value >= 0 ? undefined : "a number of at least 0";
    case "count": {
      const isCount = value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && (value as number) >= 1);
      return isCount ? undefined : "an integer of at least 1";
    }
    case "boolean":
      return typeof value === "boolean" ? undefined : "true or false";
    case "object":
    case "function":
    case "signal":
    case "list":
    case "text":
    case "own":
      return undefined;
    default:
      return check.includes(value as string) ? undefined : choiceOf(check);
  }
}

function choiceOf(values: readonly string[]): string {
  const quoted = values.map((value) => `"${value}"`);
  return `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
}
