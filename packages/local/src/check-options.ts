import { optionChecker } from "@planloom/plan";
import { LocalError, LocalErrorCode } from "./errors.ts";

/** @throws LocalError OPTION */
export const checkOptions = optionChecker(
  (message, details) => new LocalError(LocalErrorCode.OPTION, message, { details }),
);
