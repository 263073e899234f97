import type { ModelOptimized, Optimized } from "@planloom/optimizer";
import type { DispatchCosts, EstimateSources } from "@planloom/runtime";

/** A plan in subgraphs, with what the run is predicted to take. */
export type GroupedPlan = (Optimized | ModelOptimized) & {
  /** What it would take with one dispatch for each task, in the same environment, in milliseconds. */
  readonly perTaskMs: number;
  /** What the dispatcher measured; absent where there is none, or where it does not measure. */
  readonly costs?: DispatchCosts;
  /** What it was grouped by: the duration of each task, in milliseconds, by id. */
  readonly estimatesMs: Readonly<Record<string, number>>;
  /** Where the durations are from that it was grouped by. */
  readonly sources: EstimateSources;
};
