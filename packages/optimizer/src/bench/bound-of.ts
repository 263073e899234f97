import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "../environment.ts";
import { lowerBound } from "../lower-bound.ts";

/** The best proved bound in this environment, with what proves it. */
export function boundOf(view: PlanView, environment: ExecutionEnvironment): { ms: number; by: string } {
  return { ms: lowerBound(view, environment), by: "critical path or work" };
}
