import { lowerBounds, type PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "./environment.ts";

/**
 * A makespan that no grouping of the plan can beat, in milliseconds: `overheadMs + max(critical path, work / executors)`.
 *
 * Path: the first task on it starts after at least one dispatch, the others follow. Work: with `j <= k` executors in use
 * each pays the overhead at least once, so their busy time `work + j · overhead` fits into `j · makespan`. Both hold for
 * atomic and streaming dispatch. 0 for an empty plan. O(n + m).
 */
export function lowerBound(view: PlanView, environment: ExecutionEnvironment): number {
  return view.n === 0 ? 0 : environment.overheadMs + lowerBounds(view, environment.executors).best;
}
