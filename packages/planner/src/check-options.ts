import { optionChecker } from "@planloom/plan";
import { PlannerError, PlannerErrorCode } from "./errors.ts";

/** @throws PlannerError OPTION */
export const checkOptions = optionChecker(
  (message, details) => new PlannerError(PlannerErrorCode.OPTION, message, { details }),
);
