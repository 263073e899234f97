import { isCallbackError, PlanError, PlanErrorCode } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";

/**
 * Calls functions of an executor before anything runs; a fault of theirs is reported as a fault of its definition.
 * @throws RuntimeError INVALID_DEFINITION with `details.callback` and `details.problem`, or with `details.option` for a field of a resource that
 *   is misspelt; and any other error that `ask` throws
 */
export function asDefinitionError<Value>(ask: () => Value): Value {
  try {
    return ask();
  } catch (error) {
    const isFault = isCallbackError(error) || (error instanceof PlanError && error.code === PlanErrorCode.OPTION);
    if (!isFault) throw error;
    throw new RuntimeError(RuntimeErrorCode.INVALID_DEFINITION, error.message, {
      details: error.details,
      cause: error.cause ?? error,
    });
  }
}
