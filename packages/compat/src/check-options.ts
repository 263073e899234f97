import { ControllerError, ControllerErrorCode } from "@planloom/controller";
import { optionChecker } from "@planloom/plan";

/** @throws ControllerError OPTION */
export const checkOptions = optionChecker(
  (message, details) => new ControllerError(ControllerErrorCode.OPTION, message, { details }),
);
