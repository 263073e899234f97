import { optionChecker } from "@planloom/plan";
import { PlanloomError, PlanloomErrorCode } from "./errors.ts";

/** @throws PlanloomError OPTION */
export const checkOptions = optionChecker(
  (message, details) => new PlanloomError(PlanloomErrorCode.OPTION, message, { details }),
);
