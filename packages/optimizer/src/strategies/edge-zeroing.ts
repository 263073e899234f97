import { canonicalOrder } from "../canonical-order.ts";
import { bottomLevels, topLevels } from "../clustering/levels.ts";
import { transferCosts } from "../clustering/transfer-cost.ts";
import { simulatedAspects } from "../environment-aspects.ts";
import { fromLabels } from "../partition.ts";
import { makespan } from "../simulate.ts";
import type { RuleStrategy } from "../strategy.ts";

/** Task visits that all trials together may cost: a few hundred milliseconds. */
const BUDGET = 1_500_000;

/**
 * Looks at the edges from the dearest on, those of one price from the longest path on, and merges the two subgraphs that
 * an edge joins unless that lengthens the makespan or closes a cycle (Sarkar 1989, with the simulator in place of the
 * parallel time on unlimited executors). O(m (n + m)); on plans where that is more than some million steps the cheaper
 * edges are left alone.
 */
export const edgeZeroing: RuleStrategy = {
  name: "edge-zeroing",
  version: "1",
  description: "dependencies are pulled into one subgraph, dearest first, as long as nothing gets slower",
  regards: simulatedAspects,
  deterministic: true,
  largest: 2500,
  propose(view, environment) {
    const transfer = transferCosts(view, environment);
    const top = topLevels(view, transfer);
    const bottom = bottomLevels(view, transfer);
    const tie = canonicalOrder(view);
    const edges: { from: number; to: number; cost: number; path: number }[] = [];
    for (let from = 0; from < view.n; from++) {
      for (let edge = view.outPtr[from]!; edge < view.outPtr[from + 1]!; edge++) {
        const to = view.out[edge]!;
        const path = top[from]! + view.work[from]! + transfer[from]! + bottom[to]!;
        edges.push({ from, to, cost: transfer[from]!, path });
      }
    }
    edges.sort(
      (left, right) =>
        right.cost - left.cost ||
        right.path - left.path ||
        tie[left.from]! - tie[right.from]! ||
        tie[left.to]! - tie[right.to]!,
    );
    let label = Int32Array.from({ length: view.n }, (_, v) => v);
    let shortest = makespan(view, environment, fromLabels(label));
    let budget = BUDGET;
    for (const { from, to } of edges) {
      const [into, gone] = [label[from]!, label[to]!];
      if (into === gone) continue;
      budget -= view.n + view.out.length;
      if (budget < 0) break;
      const merged = label.map((each) => (each === gone ? into : each));
      const length = makespan(view, environment, fromLabels(merged));
      if (length > shortest) continue;
      shortest = length;
      label = merged;
    }
    return fromLabels(label);
  },
};
