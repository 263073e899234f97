import { CodedError } from "@planloom/plan/coded-error";

/** Codes of `PlanloomError`. Each line says when it is thrown and which `details` it carries. */
export const PlanloomErrorCode = {
  /** The plan has errors and was not run; `details.issues`. Cure: Mend what `details.issues` names. */
  INVALID_PLAN: "PLANLOOM_INVALID_PLAN",
  /**
   * The plan is a draft that lacks arguments and was not run; `details.questions` (`PlanQuestion[]`), `details.issues`. Cure: Answer the
   * questions with `answer(plan, …)`.
   */
  OPEN_QUESTIONS: "PLANLOOM_OPEN_QUESTIONS",
  /** It was closed before this call. Cure: Make a new Planloom; over HTTP, try again when the server is back. */
  CLOSED: "PLANLOOM_CLOSED",
  /**
   * An option is out of its range, or is unknown; `details.option`. Cure: Give the option as its documentation says, or take one of the names in
   * `details.candidates`.
   */
  OPTION: "PLANLOOM_OPTION",
  /** The store has no plan of this id; `details.id`, and `details.candidates`: ids that start with it. Cure: Give the whole id of a saved plan. */
  PLAN_NOT_FOUND: "PLANLOOM_PLAN_NOT_FOUND",
  /**
   * A plan's id cannot be kept by the store: no file may have this name, or another file has it; `details.id`. Cure: Give the plan an id of
   * letters, digits, `_`, `-` and `.`.
   */
  PLAN_ID: "PLANLOOM_PLAN_ID",
  /**
   * The saved plan is not at the revision it was to be changed from, with `details.id`, `details.expected` and `details.actual`; or a new plan has
   * the id of a saved one, with `details.id` alone. Cure: Load the plan as it is now and change that, or give the new one another id.
   */
  PLAN_CONFLICT: "PLANLOOM_PLAN_CONFLICT",
  /** No schedule has this id; `details.id`, `details.candidates`. Cure: `planloom schedule --list` shows those that there are. */
  SCHEDULE_NOT_FOUND: "PLANLOOM_SCHEDULE_NOT_FOUND",
  /**
   * A `/plan` line cannot be carried out; the message is for the person who typed it. Cure: Do what the message says; `/plan help` lists the
   * commands.
   */
  COMMAND: "PLANLOOM_COMMAND",
} as const;
export type PlanloomErrorCode = (typeof PlanloomErrorCode)[keyof typeof PlanloomErrorCode];

/** The one error class of this package. Its `code` says which error it is. Errors of the stages pass through unchanged. */
export class PlanloomError extends CodedError<PlanloomErrorCode> {
  override readonly name = "PlanloomError";
}
