import type { PlanView } from "@planloom/plan";
import { lowerBounds } from "./bounds/lower-bounds.ts";
import type { ExecutionEnvironment } from "./environment.ts";

/** A makespan that no grouping of the plan can beat, in milliseconds: the best of `lowerBounds`. 0 for an empty plan. */
export function lowerBound(view: PlanView, environment: ExecutionEnvironment): number {
  return lowerBounds(view, environment).best.ms;
}
