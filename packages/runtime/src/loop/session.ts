import type { PlanExecutePlan } from "@planloom/plan";

/** Names of the session values, as seed 004 has them. */
export const loopSessionKeys = {
  userInput: "UserInput",
  plan: "Plan",
  executedStep: "ExecutedStep",
  executedSteps: "ExecutedSteps",
} as const;

/** Steps as texts; `depends_on` says for each the numbers, from 1, of those it waits for. Plain JSON. */
export type LoopPlan = PlanExecutePlan;

/** A step that was executed, with what came of it. */
export interface ExecutedStep {
  readonly step: string;
  /** What came out, as text; of a step that failed, why. */
  readonly result: string;
  readonly failed?: true;
}

/** What planner, executor and replanner know. Plain JSON. */
export interface LoopSession {
  /** What the user said, message by message. */
  readonly UserInput: readonly string[];
  /** As it was planned last; steps that were executed since are still in it. */
  readonly Plan?: LoopPlan;
  /** What the last step gave. */
  readonly ExecutedStep?: string;
  /** In the order in which they were planned, round after round. */
  readonly ExecutedSteps: readonly ExecutedStep[];
}
