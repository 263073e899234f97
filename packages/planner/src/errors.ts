/** Codes of `PlannerError`. Each line says when it is thrown and which `details` it carries. */
export const PlannerErrorCode = {
  /** An option is out of its range; `details.option`. Thrown by constructors. */
  CONFIG: "PLANNER_CONFIG",
  /** The job is no record of the right shape, or no JSON; `details.issues` lists `{path, message}`. */
  INVALID_JOB: "PLANNER_INVALID_JOB",
  /** The goal says nothing. */
  EMPTY_GOAL: "PLANNER_EMPTY_GOAL",
  /** Goal or description is over the limit; `details.characters`, `details.maxCharacters`. */
  TOO_LARGE: "PLANNER_TOO_LARGE",
  /** There is nothing to plan with: no tool, agent, llm or workflow; `details.kind` when one kind was asked for. */
  NO_RESOURCES: "PLANNER_NO_RESOURCES",
  /** No attempt gave a valid plan; `details.attempts` lists `{attempt, issues, answer?}`, `cause` is the last rejection. */
  NO_VALID_PLAN: "PLANNER_NO_VALID_PLAN",
  /** A task pins a resource that is not there; `details.uid`, `details.kind`, `details.candidates`, `details.task_id`. */
  UNKNOWN_RESOURCE: "PLANNER_UNKNOWN_RESOURCE",
  /** No attempt gave a valid step for a task; `details.task_id`, `details.attempts`, `cause` as above. */
  NO_VALID_STEP: "PLANNER_NO_VALID_STEP",
} as const;
export type PlannerErrorCode = (typeof PlannerErrorCode)[keyof typeof PlannerErrorCode];

/** The one error class of this package; told apart by `code`. */
export class PlannerError extends Error {
  override readonly name = "PlannerError";
  readonly code: PlannerErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: PlannerErrorCode,
    message: string,
    options: { details?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}
