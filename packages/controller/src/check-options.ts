import { optionChecker } from "@planloom/plan";
import { ControllerError, ControllerErrorCode } from "./errors.ts";

/** @throws ControllerError OPTION */
export const checkOptions = optionChecker(
  (message, details) => new ControllerError(ControllerErrorCode.OPTION, message, { details }),
);
