import { CodedError } from "./coded-error.ts";

/** Codes of `PlanError`. Each line says when it is thrown and which `details` it carries. */
export const PlanErrorCode = {
  /**
   * An option is unknown, or its value is of a wrong type or out of its range; `details.option`, and `details.candidates` for a name that is
   * misspelt. Cure: Give the option as its documentation says, or take one of the names in `details.candidates`.
   */
  OPTION: "PLAN_OPTION",
  /**
   * A record does not have the shape of its schema; `details.issues` lists `{path, message}`. Cure: Mend the fields that `details.issues` names.
   */
  INVALID: "PLAN_INVALID",
  /**
   * Dependencies form a cycle; `details.path` lists its task ids in order, the first repeated at the end. Cure: Remove one of the dependencies
   * along `details.path`.
   */
  CYCLE: "PLAN_CYCLE",
  /** A dependency or reference names no task; `details.task_id`, `details.dependency`. Cure: Name a task of the plan, or remove the dependency. */
  UNKNOWN_DEPENDENCY: "PLAN_UNKNOWN_DEPENDENCY",
  /** Two tasks have one id; `details.task_id`. Cure: Give each task an id of its own. */
  DUPLICATE_TASK: "PLAN_DUPLICATE_TASK",
  /**
   * Text between `${` and `}` is not a reference; `details.text`, `details.at` (offset). Cure: Write a reference as `${task.path}`, or escape
   * the dollar sign as `$${` if text is meant.
   */
  REFERENCE_SYNTAX: "PLAN_REFERENCE_SYNTAX",
  /**
   * A reference points at a value that is absent; `details.reference`, `details.at` (where it stopped). Cure: Refer to a path that the output
   * has, or mark the reference as optional with `?`.
   */
  REFERENCE_ABSENT: "PLAN_REFERENCE_ABSENT",
  /** Text in a dialect cannot be read; `details.dialect`. Cure: Give the text in the form of that dialect, or the plan in Planloom's own form. */
  DIALECT: "PLAN_DIALECT",
  /**
   * A plan file or text, or the body of a request that may have a plan, is over the size limit; `details.bytes`, `details.maxBytes`. Cure: Split
   * the plan, or raise the limit (`maxBytes`, `maxBodyBytes`).
   */
  TOO_LARGE: "PLAN_TOO_LARGE",
  /** A patch does not pass verification; `details.issues` says why. Cure: Propose a patch without the changes that `details.issues` names. */
  PATCH_REFUSED: "PLAN_PATCH_REFUSED",
  /** A plan file cannot be read or written; `details.file`, `cause`. Cure: Check that the file exists and that the program may read or write it. */
  FILE: "PLAN_FILE",
  /**
   * A function of the user's (an executor's `resources`, say) threw, returned a promise where its result is needed at once, returned an
   * unexpected value, or did not settle in time; `details.callback` names it, `details.problem` is `threw`, `promise`, `answer` or `timeout`;
   * `cause`. Cure: Mend the function that the message names.
   */
  CALLBACK: "PLAN_CALLBACK",
} as const;
export type PlanErrorCode = (typeof PlanErrorCode)[keyof typeof PlanErrorCode];

/** The one error class of this package. Its `code` says which error it is. */
export class PlanError extends CodedError<PlanErrorCode> {
  override readonly name = "PlanError";
}
