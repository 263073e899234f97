import { optionChecker } from "@planloom/plan";
import { OptimizerError, OptimizerErrorCode } from "./errors.ts";

/** @throws OptimizerError OPTION */
export const checkOptions = optionChecker(
  (message, details) => new OptimizerError(OptimizerErrorCode.OPTION, message, { details }),
);
