import type { PlanView, SubGraph } from "@planloom/plan";
import type { ExecutionEnvironment } from "./environment.ts";
import { OptimizerError, OptimizerErrorCode } from "./errors.ts";
import type { Partition } from "./partition.ts";
import type { Prediction } from "./prediction.ts";
import { verify } from "./verify.ts";

/**
 * Subgraphs as a partition of the plan's tasks. Their lists of dependencies are not looked at. O(n + m)
 * @throws OptimizerError `OPTIMIZER_INVALID_PARTITION` naming what is wrong with the grouping
 */
export function readGrouping(
  view: PlanView,
  environment: ExecutionEnvironment,
  subgraphs: readonly SubGraph[],
  { dispatchOrder, placement }: { [Name in "dispatchOrder" | "placement"]?: Prediction[Name] | undefined },
): Partition {
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
  return partition;
}
