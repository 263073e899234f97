import type { PlanView } from "@planloom/plan";
import { OptimizerError, OptimizerErrorCode } from "./errors.ts";

/**
 * `atomic`: a subgraph starts when all subgraphs it depends on have ended, runs its tasks one after another on one
 * executor and publishes its outputs at the end. `streaming`: every task publishes its output when it ends, and a
 * subgraph may start while those it depends on are still running.
 */
export type DispatchSemantics = "atomic" | "streaming";

/** Where the subgraphs will be dispatched. */
export interface ExecutionEnvironment {
  /** @default "atomic" */
  readonly semantics: DispatchSemantics;
  /** Subgraphs at once, at least 1; `Infinity` is allowed. @default 4 */
  readonly executors: number;
  /** What one dispatch costs before its first task starts, in milliseconds; it occupies the executor. */
  readonly overheadMs: number;
}

/** As `ExecutionEnvironment`, with every field left to its default where absent. */
export type EnvironmentInput = Partial<ExecutionEnvironment>;

/**
 * Fills the defaults: atomic, 4 executors, an overhead of the mean task estimate (asking an agent costs about as much
 * as one task, and never nothing).
 * @throws OptimizerError `OPTIMIZER_ENVIRONMENT` for a field out of range.
 */
export function completeEnvironment(view: PlanView, input: EnvironmentInput = {}): ExecutionEnvironment {
  const { semantics = "atomic", executors = 4, overheadMs = meanWork(view) } = input;
  if (semantics !== "atomic" && semantics !== "streaming") {
    throw wrong("semantics", '"atomic" or "streaming"', semantics);
  }
  if (!(executors === Number.POSITIVE_INFINITY || (Number.isInteger(executors) && executors >= 1))) {
    throw wrong("executors", "an integer of at least 1 or Infinity", executors);
  }
  if (!(Number.isFinite(overheadMs) && overheadMs >= 0)) {
    throw wrong("overheadMs", "a finite number of at least 0", overheadMs);
  }
  return { semantics, executors, overheadMs };
}

function meanWork(view: PlanView): number {
  let sum = 0;
  for (const work of view.work) sum += work;
  return view.n === 0 ? 0 : sum / view.n;
}

function wrong(field: string, expected: string, actual: unknown): OptimizerError {
  return new OptimizerError(
    OptimizerErrorCode.ENVIRONMENT,
    `Expected environment.${field} to be ${expected}, got ${String(actual)} (${typeof actual}).`,
    { details: { field } },
  );
}
