import type { ExecutionKind } from "@planloom/plan";

/** What the planner knows of one kind. Shared code reads it here and never compares kinds by name. `kindRecord` has what a plan knows of the kind. */
export interface SubPlanner {
  readonly kind: ExecutionKind;
  /** The kind's noun in messages: "tool". */
  readonly noun: string;
  /** The heading over the resources of the kind in a prompt. */
  readonly heading: string;
  /** What the model is to do: one sentence at the beginning of the prompt. */
  readonly request: string;
  /**
   * Whether an empty input is complete for a resource without an input schema. A tool that declares nothing takes nothing; an agent, a
   * model or a workflow needs to be given its instructions.
   */
  readonly emptyInputIsComplete: boolean;
}

export const subPlanners = {
  agent: {
    kind: "agent",
    noun: "agent",
    heading: "Agents",
    request: "Choose the agent whose traits and skills fit the task and write the message it is sent.",
    emptyInputIsComplete: false,
  },
  tool: {
    kind: "tool",
    noun: "tool",
    heading: "Tools and functions",
    request: "Choose the tool or function that does the task and write the arguments it is called with.",
    emptyInputIsComplete: true,
  },
  llm: {
    kind: "llm",
    noun: "language model",
    heading: "Language models",
    request: "Choose the language model that fits the task and write the input for its inference.",
    emptyInputIsComplete: false,
  },
  dsl: {
    kind: "dsl",
    noun: "workflow",
    heading: "Workflows",
    request: "Choose the workflow that does the task and write its input, parameter by parameter.",
    emptyInputIsComplete: false,
  },
} satisfies Record<ExecutionKind, SubPlanner>;
