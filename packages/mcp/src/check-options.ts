import { optionChecker } from "@planloom/plan";
import { McpError, McpErrorCode } from "./errors.ts";

/** @throws McpError OPTION */
export const checkOptions = optionChecker(
  (message, details) => new McpError(McpErrorCode.OPTION, message, { details }),
);
