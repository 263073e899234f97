import { RuntimeError, RuntimeErrorCode } from "./errors.ts";
import { describe } from "./task-error.ts";

/** The error for an option with a wrong value; `expected` goes after "to be". */
export function invalid(option: string, expected: string, value: unknown): RuntimeError {
  return new RuntimeError(
    RuntimeErrorCode.INVALID_OPTION,
    `Expected \`${option}\` to be ${expected}, got ${describe(value)}.`,
    { details: { option } },
  );
}
