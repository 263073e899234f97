import { type PlanView, type ScheduledGraphs, scheduledGraphs, viewWithCosts } from "@planloom/plan";
import type { ExecutionEnvironment } from "./environment.ts";
import { type OptimizerInput, readInput } from "./input.ts";
import type { Partition } from "./partition.ts";
import type { Prediction } from "./prediction.ts";
import { readGrouping } from "./read-grouping.ts";
import { type Metrics, simulate } from "./simulate.ts";
import { runningOrder, simulateTimed, type WaitTimes, waitTimes } from "./timed-waits.ts";

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
  const { view: read, tasks, waits } = readInput(input);
  const isTimed = environment.semantics !== "streaming";
  const work = read.work.map((ms, task) => {
    if (waits === undefined || tasks[task]!.wait === undefined) return estimatesMs[read.ids[task]!] ?? ms;
    return isTimed ? (estimatesMs[read.ids[task]!] ?? waits[task]!) : 0;
  });
  const view = viewWithCosts(read, { work });
  const partition = readGrouping(view, environment, subgraphs, { dispatchOrder, placement });
  const { schedule } = scheduled(view, environment, partition, waitTimes(view, tasks));
  const taskOrder = runningOrder(view, environment, undefined);
  return scheduledGraphs(tasks, view, { subgraphs, overheadMs: environment.overheadMs, ...schedule, taskOrder });
}

function scheduled(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  waits: WaitTimes | undefined,
): Metrics {
  if (waits === undefined) return simulate(view, environment, partition);
  const busy = viewWithCosts(view, { work: view.work.map((ms, task) => ms - waits[task]!) });
  return simulateTimed(busy, environment, partition, waits);
}
