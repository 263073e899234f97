import type { PlanExecutePlan } from "@planloom/plan";

/** Names of the session values, as Eino's plan-execute has them. */
export const loopSessionKeys = {
  userInput: "UserInput",
  plan: "Plan",
  executedStep: "ExecutedStep",
  executedSteps: "ExecutedSteps",
} as const;

/**
 * Steps as texts; `depends_on` says for each the numbers, from 1, of those it waits for. Further fields of a plan of your own are kept as
 * they are, and prompts show them. Plain JSON.
 */
export type LoopPlan = PlanExecutePlan & { readonly [field: string]: unknown };

/** One message of the conversation that a loop is given: a text is the user's. */
export type LoopMessage = string | { readonly role: "system" | "user" | "assistant"; readonly content: string };

/** A step that was executed, with what came of it. */
export interface ExecutedStep {
  readonly step: string;
  /** What came out, as text; of a step that failed, why. */
  readonly result: string;
  readonly failed?: true;
}

/** What planner, executor and replanner know. Plain JSON. */
export interface LoopSession {
  /** The messages of the user, with those of others in between. */
  readonly UserInput: readonly LoopMessage[];
  /** As it was planned last; steps that were executed since are still in it. */
  readonly Plan?: LoopPlan;
  /** What the last step gave. */
  readonly ExecutedStep?: string;
  /** In the order in which they were planned, round after round. */
  readonly ExecutedSteps: readonly ExecutedStep[];
}
