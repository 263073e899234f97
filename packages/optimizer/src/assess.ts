import type { SubGraph } from "@planloom/plan";
import { checkOptions } from "./check-options.ts";
import { completeEnvironment, type EnvironmentInput, environmentChecks } from "./environment.ts";
import { OptimizerError, OptimizerErrorCode } from "./errors.ts";
import { type OptimizerInput, readInput } from "./input.ts";
import { type FullMetrics, type MeasureOptions, measure, measureChecks } from "./metrics.ts";
import { verify } from "./verify.ts";

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
  const { view } = readInput(input);
  const environment = completeEnvironment(view, given);
  const numbers = new Map(subgraphs.map(({ subgraph_id }, number) => [subgraph_id, number]));
  const order = dispatchOrder?.map((id) => numbers.get(id) ?? -1);
  const groups = subgraphs.map(({ tasks }) => tasks.map(({ task_id }) => view.indexOf(task_id)));
  const part = new Int32Array(view.n).fill(-1);
  groups.forEach((members, number) => {
    for (const v of members) if (v !== -1) part[v] = number;
  });
  const partition = {
    part,
    count: subgraphs.length,
    ...(order && { order: Int32Array.from(order) }),
    ...(placement && { placement: Int32Array.from(placement) }),
  };
  const listed = groups.flat();
  const problems = [
    ...(listed.includes(-1) ? ["A subgraph holds a task that the plan does not have."] : []),
    ...(new Set(listed).size < listed.length ? ["A task is in two places."] : []),
    ...verify(view, environment, partition).map(({ message }) => message),
  ];
  if (problems.length > 0) {
    throw new OptimizerError(
      OptimizerErrorCode.INVALID_PARTITION,
      `Expected subgraphs that hold every task once and do not wait for one another: ${problems.join(" ")}`,
      { details: { problems } },
    );
  }
  return measure(view, environment, partition, options);
}
