import { optionChecker } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "./errors.ts";
import { isJournal } from "./options/nested-checks.ts";

/** @throws RuntimeError INVALID_OPTION for an option that is unknown or of a wrong type */
export const checkOptions = optionChecker(
  (message, details) => new RuntimeError(RuntimeErrorCode.INVALID_OPTION, message, { details }),
);

/** Of every function that reads or changes a recorded run. */
export const ofJournal = { journal: { required: isJournal }, journalTimeoutMs: "positive" } as const;

/** What is asked in words. */
export const isModel = {
  method: "generate",
  expected: "a model (openaiModel(…), or an object with `generate`)",
} as const;
