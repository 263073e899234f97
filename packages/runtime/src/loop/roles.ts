import type { PlanningTime } from "@planloom/controller";
import type { ExecutionContext, Resource } from "@planloom/plan";
import type { LoopEventBody } from "./events.ts";
import type { LoopPlanInput } from "./plan-tools.ts";
import type { LoopPlan, LoopSession } from "./session.ts";

/** Ends the run of a loop; made by `exitLoop`. */
export class LoopExit {
  readonly response: unknown;

  constructor(response: unknown) {
    this.response = response;
  }
}

/** What a planner, an executor or a replanner returns to end the run at once, with an answer or without. */
export function exitLoop(response?: unknown): LoopExit {
  return new LoopExit(response);
}

/** What the three may be given beside the session. All optional, so that `modelPlanner` and its like can be called on their own. */
export interface RoleContext {
  readonly signal?: AbortSignal | undefined;
  /** From 0. */
  readonly round?: number | undefined;
  /** Absent outside a run; there no tools can be called. */
  readonly execution?: ExecutionContext | undefined;
  /**
   * Calls a tool of the run, under its limits, budgets, guards and gates; a resumed run does not repeat a call that was completed.
   * Rejects with TaskFailure; let WAITING through, so that the loop can wait for an approval. Absent outside a run.
   */
  callTool?(id: string, input?: Record<string, unknown>): Promise<unknown>;
  emit?(event: LoopEventBody): void;
  /** What "today" means: when the objective was given, and the zone whose calendar counts. The same when the loop is resumed. */
  readonly time?: PlanningTime | undefined;
  /** The tools that steps can be executed with: those of the executor where it is a model, else those of the run. */
  readonly tools?: readonly Resource[] | undefined;
  /** What is wrong with a plan at this place of the loop, as a message to the model; undefined where nothing is wrong. */
  check?(plan: LoopPlan): string | undefined;
}

/** What the three are given by a loop: everything. */
export type LoopContext = { readonly [Name in keyof RoleContext]-?: NonNullable<RoleContext[Name]> };

/** Makes the first plan. Rejecting fails the run. */
export type LoopPlanner<Context = LoopContext> = (
  session: LoopSession,
  context: Context,
) => Promise<LoopPlanInput | LoopExit> | LoopPlanInput | LoopExit;

/** Executes one step; what it gives is made text for the session. If it rejects, the step has failed, and the replanner gets the message. */
export type LoopExecutor<Context = LoopContext> = (
  work: { readonly step: string; readonly session: LoopSession },
  context: Context,
) => unknown;

/** Answers, or plans what is left to do. Rejecting fails the run. */
export type LoopReplanner<Context = LoopContext> = (
  session: LoopSession,
  context: Context,
) => Promise<LoopChoice> | LoopChoice;

export type LoopChoice = { readonly plan: LoopPlanInput } | { readonly respond: unknown } | LoopExit;
