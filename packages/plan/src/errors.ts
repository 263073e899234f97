/** Codes of `PlanError`. Each line says when it is thrown and which `details` it carries. */
export const PlanErrorCode = {
  /** An option is unknown, or its value is of a wrong type or out of its range; `details.option`, and `details.candidates` for a name that is misspelt. */
  OPTION: "PLAN_OPTION",
  /** A record does not have the shape of its schema; `details.issues` lists `{path, message}`. */
  INVALID: "PLAN_INVALID",
  /** Dependencies form a cycle; `details.path` lists its task ids in order, the first repeated at the end. */
  CYCLE: "PLAN_CYCLE",
  /** A dependency or reference names no task; `details.task_id`, `details.dependency`. */
  UNKNOWN_DEPENDENCY: "PLAN_UNKNOWN_DEPENDENCY",
  /** Two tasks have one id; `details.task_id`. */
  DUPLICATE_TASK: "PLAN_DUPLICATE_TASK",
  /** Text between `${` and `}` is not a reference; `details.text`, `details.at` (offset). */
  REFERENCE_SYNTAX: "PLAN_REFERENCE_SYNTAX",
  /** A reference points at a value that is absent; `details.reference`, `details.at` (where it stopped). */
  REFERENCE_ABSENT: "PLAN_REFERENCE_ABSENT",
  /** Text in a dialect cannot be read; `details.dialect`. */
  DIALECT: "PLAN_DIALECT",
  /** A plan file or text is over the size limit; `details.bytes`, `details.maxBytes`. */
  TOO_LARGE: "PLAN_TOO_LARGE",
  /** A patch does not pass verification; `details.issues` says why. */
  PATCH_REFUSED: "PLAN_PATCH_REFUSED",
  /** A plan file cannot be read or written; `details.file`, `cause`. */
  FILE: "PLAN_FILE",
  /**
   * A function of the user's (an executor's `resources`, say) threw, returned a promise where its result is needed at once, returned an
   * unexpected value, or did not settle in time; `details.callback` names it, `details.problem` is `threw`, `promise`, `answer`
   * or `timeout`; `cause`.
   */
  CALLBACK: "PLAN_CALLBACK",
} as const;
export type PlanErrorCode = (typeof PlanErrorCode)[keyof typeof PlanErrorCode];

/** The one error class of this package. Its `code` says which error it is. */
export class PlanError extends Error {
  override readonly name = "PlanError";
  readonly code: PlanErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(
    code: PlanErrorCode,
    message: string,
    options: { details?: Readonly<Record<string, unknown>>; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}
