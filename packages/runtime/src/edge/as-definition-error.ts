import { isCallbackError } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";

/**
 * Asks functions of an executor before anything runs: what is wrong with them is wrong with its definition.
 * @throws RuntimeError INVALID_DEFINITION with `details.callback` and `details.problem`; whatever else `ask` throws
 */
export function asDefinitionError<Value>(ask: () => Value): Value {
  try {
    return ask();
  } catch (error) {
    if (!isCallbackError(error)) throw error;
    throw new RuntimeError(RuntimeErrorCode.INVALID_DEFINITION, error.message, {
      details: error.details,
      cause: error.cause ?? error,
    });
  }
}
