import { optionChecker } from "@planloom/plan";
import { EmbeddedError, EmbeddedErrorCode } from "./errors.ts";

/** @throws EmbeddedError OPTION */
export const checkOptions = optionChecker(
  (message, details) => new EmbeddedError(EmbeddedErrorCode.OPTION, message, { details }),
);
