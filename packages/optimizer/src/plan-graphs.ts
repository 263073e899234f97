import { type ScheduledGraphs, scheduledGraphs, viewWithCosts } from "@planloom/plan";
import { type OptimizerInput, readInput } from "./input.ts";
import type { Prediction } from "./prediction.ts";
import { readGrouping } from "./read-grouping.ts";
import { simulate } from "./simulate.ts";

/** What is shown of a grouping: an `Optimized`, a `Choice`, or one of your own. */
export type ShownGrouping = Pick<Prediction, "subgraphs" | "environment"> &
  Partial<Pick<Prediction, "dispatchOrder" | "placement">> & {
    /** What tasks take, in milliseconds, by id. @default the plan's estimates */
    readonly estimatesMs?: Readonly<Record<string, number>>;
  };

/**
 * A plan and its quotient as graphology graphs, each node with its level, rank, slack, whether it is critical, and its start and end in the simulated dispatch. Both are accepted
 * where plans are: by `ManualOptimizer`, `OptimizationPlanner` and `planViewFromGraph`. In environments of several slots the times of tasks are as if their subgraph ran one after the other.
 * @throws OptimizerError `OPTIMIZER_INVALID_PARTITION` naming what is wrong with the grouping, and as `ManualOptimizer` for the plan; PlanError INVALID for an id that every object has (such as `constructor`)
 */
export function planGraphs(
  input: OptimizerInput,
  { subgraphs, environment, dispatchOrder, placement, estimatesMs = {} }: ShownGrouping,
): ScheduledGraphs {
  const { view: read, tasks } = readInput(input);
  const work = read.work.map((ms, task) => estimatesMs[read.ids[task]!] ?? ms);
  const view = viewWithCosts(read, { work });
  const partition = readGrouping(view, environment, subgraphs, { dispatchOrder, placement });
  const { schedule } = simulate(view, environment, partition);
  return scheduledGraphs(tasks, view, { subgraphs, overheadMs: environment.overheadMs, ...schedule });
}
