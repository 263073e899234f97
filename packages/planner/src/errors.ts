import { CodedError } from "@planloom/plan/coded-error";

/** Codes of `PlannerError`. Each line says when it is thrown and which `details` it carries. */
export const PlannerErrorCode = {
  /**
   * An option is unknown, or its value is of a wrong type or out of its range; `details.option`, and `details.candidates` for a name that is
   * misspelt. Cure: Give the option as its documentation says, or take one of the names in `details.candidates`.
   */
  OPTION: "PLANNER_OPTION",
  /**
   * The controller is missing, or a number is out of its range; `details.option`. Thrown by constructors. Cure: Give a controller, and numbers
   * within their ranges.
   */
  CONFIG: "PLANNER_CONFIG",
  /**
   * The job is not a record of the right shape, or not JSON; a task is of another kind; `details.issues` lists `{path, message}`. Cure: Mend the
   * fields that `details.issues` names.
   */
  INPUT_INVALID: "PLANNER_INPUT_INVALID",
  /** The goal says nothing. Cure: Say what is to be done. */
  GOAL_EMPTY: "PLANNER_GOAL_EMPTY",
  /**
   * Goal or description is over the limit; `details.characters`, `details.maxCharacters`. Cure: Say it in fewer characters, and give data as
   * `input` or variables.
   */
  GOAL_TOO_LARGE: "PLANNER_GOAL_TOO_LARGE",
  /**
   * A request is over `maxPromptCharacters` even without resources, or no resource fits; `details.characters` (without resources),
   * `details.maxPromptCharacters`, `details.resources` (how many there are). No model was asked with it. Cure: Offer fewer resources, or raise
   * `maxPromptCharacters`.
   */
  PROMPT_TOO_LARGE: "PLANNER_PROMPT_TOO_LARGE",
  /**
   * There is nothing to plan with: no tool, agent, llm or workflow; `details.kind` when one kind was asked for. Cure: Give tools, agents, models
   * or workflows, or connect an MCP server.
   */
  RESOURCES_EMPTY: "PLANNER_RESOURCES_EMPTY",
  /**
   * No attempt gave a valid plan; `details.attempts` lists `{attempt, issues, answer?}`, `cause` is the last rejection. Cure: Read the last
   * issues in `details.attempts`; say the goal more exactly, or plan with a model.
   */
  NO_VALID_PLAN: "PLANNER_NO_VALID_PLAN",
  /**
   * A plan was made that lacks nothing but arguments; `details.draft` is the plan, with `details.questions` (`PlanQuestion[]`) in its
   * `metadata.questions` too, `details.attempts` as above. `answerPlan` completes it. Cure: Answer the questions with `answer(plan, …)`, or say
   * the values in the goal.
   */
  OPEN_QUESTIONS: "PLANNER_OPEN_QUESTIONS",
  /**
   * An answer cannot be put into the plan; `details.name`, with `details.candidates` for a name that refers to no argument, or `details.issues`
   * for a value that does not fit. Cure: Take a name of `details.candidates`, or a value that fits the argument's schema.
   */
  ANSWER_INVALID: "PLANNER_ANSWER_INVALID",
  /**
   * Another tool cannot be put in the place of a task's own; `details.name` and `details.candidates` for a task or tool that there is not,
   * `details.issues` where the rest of the plan does not go with it. Cure: Take a task and a tool of `details.candidates`.
   */
  CHOICE_INVALID: "PLANNER_CHOICE_INVALID",
  /**
   * The controller has not answered within `timeoutMs`; `details.timeout_ms`, `details.attempts` before it. It is not asked again. Cure: Raise
   * `timeoutMs`, or ask a faster controller.
   */
  TIMEOUT: "PLANNER_TIMEOUT",
  /**
   * A task pins a resource that is not there; `details.uid`, `details.kind`, `details.candidates`, `details.task_id`. Cure: Name a resource that
   * is there; `details.candidates` has similar names.
   */
  RESOURCE_UNKNOWN: "PLANNER_RESOURCE_UNKNOWN",
  /**
   * No attempt gave a valid step for a task; `details.task_id`, `details.attempts`, `cause` as above. Cure: Read the last issues in
   * `details.attempts`; name the task's resource, or describe the task more exactly.
   */
  NO_VALID_STEP: "PLANNER_NO_VALID_STEP",
  /** Marked tasks are not tasks of the plan; `details.task_ids`, `details.plan_id`. Cure: Mark tasks of this plan. */
  REPLAN_INPUT: "PLANNER_REPLAN_INPUT",
  /**
   * No attempt gave a valid replacement; the plan is unchanged. `details.task_ids`, `details.attempts`, `cause` as above. Cure: Read the last
   * issues in `details.attempts`; add a note, or mark other tasks.
   */
  NO_VALID_REPLAN: "PLANNER_NO_VALID_REPLAN",
} as const;
export type PlannerErrorCode = (typeof PlannerErrorCode)[keyof typeof PlannerErrorCode];

/** The one error class of this package. Its `code` says which error it is. */
export class PlannerError extends CodedError<PlannerErrorCode> {
  override readonly name = "PlannerError";
}
