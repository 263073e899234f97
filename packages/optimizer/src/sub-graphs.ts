import type { PlannerTask, PlanView, SubGraph } from "@planloom/plan";
import type { Partition } from "./partition.ts";
import { quotient, quotientOrder } from "./quotient.ts";

/**
 * Turns a verified partition into records. Subgraphs come in a topological order, that of dispatch where one is given, and are named `sg-1`, `sg-2`, … in it;
 * the tasks of each, the plan's own objects, are in plan order. Dependencies are derived from the plan. O(n + m).
 * @param sequence all tasks; then those of each subgraph are in this order, as `taskSequence` for pipelined dispatch
 */
export function subGraphs(
  view: PlanView,
  tasks: readonly PlannerTask[],
  partition: Partition,
  sequence?: Int32Array,
): SubGraph[] {
  const graph = quotient(view, partition);
  const order = partition.order ?? quotientOrder(graph);
  const result: SubGraph[] = Array.from(order, (_, at) => ({
    subgraph_id: `sg-${at + 1}`,
    tasks: [],
    dependencies: [],
  }));
  const place = new Int32Array(graph.count);
  order.forEach((p, at) => {
    place[p] = at;
  });
  for (let at = 0; at < view.n; at++) {
    const v = sequence === undefined ? at : sequence[at]!;
    result[place[partition.part[v]!]!]!.tasks.push(tasks[v]!);
  }
  order.forEach((p, at) => {
    for (let edge = graph.outPtr[p]!; edge < graph.outPtr[p + 1]!; edge++) {
      result[place[graph.out[edge]!]!]!.dependencies.push(`sg-${at + 1}`);
    }
  });
  return result;
}

/** The order of dispatch as ids of the subgraphs, and their executors, where the partition has its own. */
export function dispatchOrder(
  { order, placement }: Partition,
  subgraphs: readonly SubGraph[],
): { dispatchOrder?: readonly string[]; placement?: readonly number[] } {
  if (order === undefined) return {};
  return {
    dispatchOrder: subgraphs.map(({ subgraph_id }) => subgraph_id),
    ...(placement && { placement: Array.from(order, (p) => placement[p]!) }),
  };
}
