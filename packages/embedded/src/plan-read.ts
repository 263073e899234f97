import type { PlanReading } from "./confidence/plan-evidence.ts";
import type { EmbeddedPlan } from "./embedded-plan.ts";
import type { SaidWait } from "./language/temporal/said-waits.ts";

/** A plan before it is judged, and how it came about. */
export interface PlanRead {
  readonly planned: EmbeddedPlan;
  readonly reading: PlanReading;
  /** Which planners read the goal: `exact calls`, `functions`, `records`. */
  readonly readBy: readonly string[];
  /** Words that say when one request is carried out. */
  readonly delays: readonly SaidWait[];
}
