import { CodedError } from "@planloom/plan/coded-error";

/** Codes of `OptimizerError`. Each line says when it is thrown and which `details` it carries. */
export const OptimizerErrorCode = {
  /**
   * An option is unknown, or its value is of a wrong type or out of its range; `details.option`, and `details.candidates` for a name that is
   * misspelt. Cure: Give the option as its documentation says, or take one of the names in `details.candidates`.
   */
  OPTION: "OPTIMIZER_OPTION",
  /**
   * The tasks depend on each other in a circle; `details.path` lists the ids in order, the first repeated at the end. Cure: Remove one of the
   * dependencies along `details.path`.
   */
  CYCLE: "OPTIMIZER_CYCLE",
  /** A task depends on an id that no task has; `details.task_id`, `details.dependency`. Cure: Name a task of the plan, or remove the dependency. */
  UNKNOWN_DEPENDENCY: "OPTIMIZER_UNKNOWN_DEPENDENCY",
  /** Two tasks have one id; `details.task_id`. Cure: Give each task an id of its own. */
  DUPLICATE_TASK: "OPTIMIZER_DUPLICATE_TASK",
  /**
   * The argument is neither a plan nor a list of tasks nor a graph; `cause` where a record was wrong. Cure: Give a plan, a list of tasks, or a
   * graph.
   */
  INPUT: "OPTIMIZER_INPUT",
  /** No strategy has that name; `details.strategy`, `details.known`. Cure: Take one of `details.known`. */
  UNKNOWN_STRATEGY: "OPTIMIZER_UNKNOWN_STRATEGY",
  /**
   * The strategy asked for is not for plans of this size; `details.strategy`, `details.tasks`, `details.largest`. Cure: Take another strategy,
   * or leave the choice to the optimizer.
   */
  PLAN_TOO_LARGE: "OPTIMIZER_PLAN_TOO_LARGE",
  /** A field of the environment is out of range; `details.field`. Cure: Give the field a value within its range. */
  ENVIRONMENT: "OPTIMIZER_ENVIRONMENT",
  /**
   * A strategy proposed no valid partition; `details.strategy`, `details.violations`. Cure: Mend the strategy of your own, or leave it out; one
   * of ours is a fault to report.
   */
  INVALID_PARTITION: "OPTIMIZER_INVALID_PARTITION",
  /**
   * A task is beyond a limit of the environment even alone, so no partition is valid; `details.violations`. Cure: Raise the limit of the
   * environment, or split the task.
   */
  INFEASIBLE: "OPTIMIZER_INFEASIBLE",
} as const;
export type OptimizerErrorCode = (typeof OptimizerErrorCode)[keyof typeof OptimizerErrorCode];

/** The one error class of this package. Its `code` says which error it is. */
export class OptimizerError extends CodedError<OptimizerErrorCode> {
  override readonly name = "OptimizerError";
}
