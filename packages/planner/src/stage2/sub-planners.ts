import type { ExecutionKind } from "@planloom/plan";

/** What the planner knows of one kind; shared code asks here and never by name. `kindRecord` has what is known of its tasks. */
export interface SubPlanner {
  readonly kind: ExecutionKind;
  /** For messages: "tool". */
  readonly noun: string;
  /** Over the resources of the kind in a prompt. */
  readonly heading: string;
  /** What the model is to do, one sentence for the head of the prompt. */
  readonly request: string;
  /**
   * Without an input schema, is an empty input all there is to say? A tool that declares nothing takes nothing; an agent, a
   * model or a workflow is told what to do.
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
