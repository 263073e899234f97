import { optionChecker } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "./errors.ts";
import { isJournal } from "./options/nested-checks.ts";

/** @throws RuntimeError INVALID_OPTION for an option that is unknown or of a wrong type */
export const checkOptions = optionChecker(
  (message, details) => new RuntimeError(RuntimeErrorCode.INVALID_OPTION, message, { details }),
);

/** The checks that all functions share that read or change a recorded run. */
export const ofJournal = { journal: { required: isJournal }, journalTimeoutMs: "positive" } as const;

/** The check of an option that takes a language model. */
export const isModel = {
  method: "generate",
  expected: "a model (openaiModel(…), or an object with `generate`)",
} as const;
