import { isRecord } from "@planloom/plan";
import { invalid } from "./invalid-option.ts";

/** @throws RuntimeError INVALID_OPTION for a key that is none of `known`; misspelt, it would limit nothing. */
export function checkKeys(option: string, value: unknown, known: readonly string[]): void {
  checkRecord(option, value);
  for (const key of Object.keys(value ?? {})) {
    if (!known.includes(key)) throw invalid(option, `made of ${known.join(", ")}`, key);
  }
}

export function checkRecord(option: string, value: unknown): void {
  if (value !== undefined && !isRecord(value)) throw invalid(option, "an object", value);
}

export function checkFunction(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== "function") throw invalid(option, "a function", value);
}
