import { isRecord } from "@planloom/plan";
import type { RunEvent } from "../events.ts";
import type { LoopEndReason } from "./end-reason.ts";
import type { ExecutedStep, LoopPlan } from "./session.ts";

export type LoopAgent = "planner" | "executor" | "replanner";

/** What happens in a plan-execute loop. Rounds count from 0. */
export type LoopEventBody =
  /** The reply of one of the three roles: a plan as JSON, the result of a step, the arguments of the tool it chose. */
  | { readonly type: "loop-message"; readonly agent: LoopAgent; readonly content: string; readonly recorded?: true }
  /** A piece of text of a model, as it is written. */
  | { readonly type: "loop-delta"; readonly agent: LoopAgent; readonly text: string; readonly step?: string }
  /** A reply that could not be used, and the message that the model got. */
  | { readonly type: "loop-feedback"; readonly agent: LoopAgent; readonly issue: string }
  | { readonly type: "loop-plan"; readonly agent: LoopAgent; readonly plan: LoopPlan }
  /** Steps begin, those that wait for nothing at the same time. */
  | { readonly type: "loop-round"; readonly round: number; readonly steps: readonly string[] }
  | { readonly type: "loop-step"; readonly round: number; readonly executed: ExecutedStep; readonly recorded?: true }
  /** Steps that were planned though they were executed already, and are left out. */
  | { readonly type: "loop-repeat"; readonly round: number; readonly steps: readonly string[] }
  | { readonly type: "loop-action"; readonly agent: LoopAgent; readonly action: LoopAction }
  | { readonly type: "loop-end"; readonly endReason: LoopEndReason; readonly rounds: number };

export type LoopAction =
  | { readonly exit: true }
  /** `done`: the loop has heard it; then `currentIterations` is the round. */
  | { readonly breakLoop: { readonly from: LoopAgent; readonly done: boolean; readonly currentIterations?: number } };

/** Plain JSON. `seq`, `at` and `timestamp` as in the events of the run. */
export type LoopEvent = LoopEventBody & Pick<RunEvent, "runId" | "seq" | "at" | "timestamp">;

/** The loop's own event in an event of its run, if it is one. */
export function loopEventOf(event: RunEvent, taskId: string): LoopEvent | undefined {
  if (event.type !== "task-progress" || event.taskId !== taskId || !isRecord(event.progress)) return undefined;
  const { loop } = event.progress;
  if (!isRecord(loop)) return undefined;
  const { runId, seq, at, timestamp } = event;
  return { ...(loop as unknown as LoopEventBody), runId, seq, at, timestamp };
}
