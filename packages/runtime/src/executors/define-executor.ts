import { type Executor, executionKinds } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { describe } from "../task-error.ts";

/**
 * Checks the shape of an executor of your own and gives it back.
 * @throws RuntimeError INVALID_DEFINITION
 */
export function defineExecutor<const T extends Executor>(executor: T): T {
  const { kind } = (executor ?? {}) as Partial<Executor>;
  if (kind === undefined) {
    const message = `Expected an executor ({ kind: ${executionKinds.join(" | ")}, resources(), execute() }), got ${describe(executor)}.`;
    throw new RuntimeError(RuntimeErrorCode.INVALID_DEFINITION, message, { details: {} });
  }
  const problem = !executionKinds.includes(kind)
    ? `Expected the kind of an executor to be one of ${executionKinds.join(", ")}, got ${describe(kind)}`
    : typeof executor.resources !== "function" || typeof executor.execute !== "function"
      ? `Expected an executor of kind ${kind} to have the methods resources() and execute()`
      : undefined;
  if (problem === undefined) return executor;
  throw new RuntimeError(RuntimeErrorCode.INVALID_DEFINITION, `${problem}.`, { details: { id: kind } });
}
