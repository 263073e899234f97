import type { ExecutionKind } from "@planloom/plan";

/** What one kind of task says of its Stage 2; shared code asks here and never by name. */
export interface SubPlanner {
  readonly kind: ExecutionKind;
  /** For messages: "tool". */
  readonly noun: string;
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
    request: "Choose the agent whose traits and skills fit the task and write the message it is sent.",
    emptyInputIsComplete: false,
  },
  tool: {
    kind: "tool",
    noun: "tool",
    request: "Choose the tool or function that does the task and write the arguments it is called with.",
    emptyInputIsComplete: true,
  },
  llm: {
    kind: "llm",
    noun: "language model",
    request: "Choose the language model that fits the task and write the input for its inference.",
    emptyInputIsComplete: false,
  },
  dsl: {
    kind: "dsl",
    noun: "workflow",
    request: "Choose the workflow that does the task and write its input, parameter by parameter.",
    emptyInputIsComplete: false,
  },
} satisfies Record<ExecutionKind, SubPlanner>;
