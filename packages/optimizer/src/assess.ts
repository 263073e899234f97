import type { SubGraph } from "@planloom/plan";
import { checkOptions } from "./check-options.ts";
import { completeEnvironment, type EnvironmentInput, environmentChecks } from "./environment.ts";
import { type OptimizerInput, readInput, withTaskOverhead } from "./input.ts";
import { type FullMetrics, type MeasureOptions, measureChecks, measureWaiting } from "./metrics.ts";
import { readGrouping } from "./read-grouping.ts";

export interface AssessOptions extends MeasureOptions {
  /** Where the subgraphs will be dispatched. @default atomic, 4 executors, overhead = mean task estimate */
  readonly environment?: EnvironmentInput;
  /** Ids of the subgraphs in the order of dispatch. @default longest remaining path first */
  readonly dispatchOrder?: readonly string[] | undefined;
  /** The executor of each subgraph, numbered from 0, class by class; only together with `dispatchOrder`. @default the dispatcher chooses */
  readonly placement?: readonly number[] | undefined;
}

/**
 * Everything a grouping is judged by; it may be from a strategy, a model or a person. Its lists of dependencies are not looked at.
 * As costly as `measure`.
 * @throws OptimizerError `OPTIMIZER_INVALID_PARTITION` naming what is wrong with the grouping, and as `ManualOptimizer` for the plan; `OPTIMIZER_OPTION`.
 */
export function assess(
  input: OptimizerInput,
  subgraphs: readonly SubGraph[],
  assessed: AssessOptions = {},
): FullMetrics {
  checkOptions("`assess`", assessed, {
    ...measureChecks,
    environment: { options: environmentChecks },
    dispatchOrder: "texts",
    placement: "list",
  });
  const { environment: given, dispatchOrder, placement, ...options } = assessed;
  const { view: read, waits } = readInput(input);
  const environment = completeEnvironment(read, given);
  const view = withTaskOverhead(read, environment);
  const partition = readGrouping(view, environment, subgraphs, { dispatchOrder, placement });
  return measureWaiting(view, environment, partition, options, waits);
}
