import { PlanError, PlanErrorCode } from "./errors.ts";
import { optionChecker } from "./options/option-checks.ts";

/** @throws PlanError OPTION */
export const checkOptions = optionChecker(
  (message, details) => new PlanError(PlanErrorCode.OPTION, message, { details }),
);
