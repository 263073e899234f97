import { optionChecker } from "planloom/plan";
import { A2aError, A2aErrorCode } from "./errors.ts";

/** @throws A2aError OPTION */
export const checkOptions = optionChecker(
  (message, details) => new A2aError(A2aErrorCode.OPTION, message, { details }),
);

/** @throws A2aError OPTION */
export function optionError(option: string, expected: string, got: string): A2aError {
  return new A2aError(A2aErrorCode.OPTION, `Expected \`${option}\` to be ${expected}, got ${got}.`, {
    details: { option },
  });
}
