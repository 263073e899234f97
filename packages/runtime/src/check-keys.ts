import { isRecord, unknownOption } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "./errors.ts";
import { invalid } from "./invalid-option.ts";

/**
 * Refuses unknown names within an option: a misspelt limit would limit nothing.
 * @param option the option, as a path: "limits.kinds"
 * @throws RuntimeError INVALID_OPTION with the nearest name
 */
export function checkKeys(option: string, value: unknown, known: readonly string[]): void {
  checkRecord(option, value);
  const unknown = unknownOption(undefined, value, known, `${option}.`);
  if (unknown !== undefined) throw new RuntimeError(RuntimeErrorCode.INVALID_OPTION, unknown.message, unknown);
}

export function checkRecord(option: string, value: unknown): void {
  if (value !== undefined && !isRecord(value)) throw invalid(option, "an object", value);
}

export function checkFunction(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== "function") throw invalid(option, "a function", value);
}
