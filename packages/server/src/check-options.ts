import { optionChecker } from "planloom/plan";
import { ServerError, ServerErrorCode } from "./errors.ts";

/** @throws ServerError OPTION */
export const checkOptions = optionChecker(
  (message, details) => new ServerError(ServerErrorCode.OPTION, message, { details }),
);
