import { OptimizerError, OptimizerErrorCode } from "@planloom/optimizer";
import { optionChecker } from "@planloom/plan";

/** @throws OptimizerError `OPTIMIZER_OPTION` */
export const checkOptions = optionChecker(
  (message, details) => new OptimizerError(OptimizerErrorCode.OPTION, message, { details }),
);
