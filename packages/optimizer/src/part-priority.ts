import type { PlanView } from "@planloom/plan";
import { canonicalOrder } from "./canonical-order.ts";
import type { Partition } from "./partition.ts";
import type { Quotient } from "./quotient.ts";

/**
 * The order in which free subgraphs are dispatched: longest remaining path of the quotient first, each subgraph counted
 * with its overhead; then the canonical order of tasks (`canonicalOrder`). O(n + m).
 * @returns `before(p, q)`, a total order.
 */
export function partPriority(
  view: PlanView,
  partition: Partition,
  graph: Quotient,
  order: Int32Array,
  overheadMs: number,
): (left: number, right: number) => boolean {
  const rank = new Float64Array(graph.count);
  for (let at = graph.count - 1; at >= 0; at--) {
    const p = order[at]!;
    let longest = 0;
    for (let edge = graph.outPtr[p]!; edge < graph.outPtr[p + 1]!; edge++) {
      longest = Math.max(longest, rank[graph.out[edge]!]!);
    }
    rank[p] = longest + graph.work[p]! + overheadMs;
  }
  const position = canonicalOrder(view);
  const tie = new Int32Array(graph.count).fill(view.n);
  for (let v = 0; v < view.n; v++) {
    const p = partition.part[v]!;
    tie[p] = Math.min(tie[p]!, position[v]!);
  }
  return (left, right) => rank[left]! > rank[right]! || (rank[left] === rank[right] && tie[left]! < tie[right]!);
}
