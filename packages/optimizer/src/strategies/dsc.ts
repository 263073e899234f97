import { canonicalOrder } from "../canonical-order.ts";
import { convexify } from "../clustering/convexify.ts";
import { bottomLevels, byFalling } from "../clustering/levels.ts";
import { transferCosts } from "../clustering/transfer-cost.ts";
import { PriorityHeap } from "../priority-heap.ts";
import type { RuleStrategy } from "../strategy.ts";

/**
 * Dominant sequence clustering (Yang and Gerasoulis, TPDS 1994): of the free tasks the one on the longest path joins the
 * cluster of an input if it starts earlier there than on its own, so that the dominant sequence gets shorter. Without
 * the paper's rule for partly free tasks (DSC-I). Optimal on forks, joins and coarse in- and out-trees on unlimited
 * executors, before the clusters are made acyclic. O((n + m) log n).
 */
export const dsc: RuleStrategy = {
  name: "dsc",
  version: "1",
  description: "tasks join the input on the longest path wherever that shortens it",
  regards: ["overhead", "transfers"],
  deterministic: true,
  largest: 32_768,
  propose(view, environment) {
    const { n } = view;
    const transfer = transferCosts(view, environment);
    const tie = canonicalOrder(view);
    const level = bottomLevels(view, transfer);
    const start = new Float64Array(n);
    const priority = new Float64Array(n);
    const waits = Int32Array.from({ length: n }, (_, v) => view.inPtr[v + 1]! - view.inPtr[v]!);
    const free = new PriorityHeap(byFalling(view, priority));
    const release = (v: number) => {
      priority[v] = start[v]! + level[v]!;
      free.push(v);
    };
    for (let v = 0; v < n; v++) if (waits[v] === 0) release(v);
    const label = new Int32Array(n);
    const clusterEnd = new Float64Array(n);
    const end = new Float64Array(n);
    for (let v = free.pop(); v !== undefined; v = free.pop()) {
      let cluster = v;
      let earliest = start[v]!;
      for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) {
        const candidate = label[view.in[edge]!]!;
        let there = clusterEnd[candidate]!;
        for (let other = view.inPtr[v]!; other < view.inPtr[v + 1]!; other++) {
          const u = view.in[other]!;
          there = Math.max(there, end[u]! + (label[u] === candidate ? 0 : transfer[u]!));
        }
        const equal = there === earliest && (cluster === v || tie[candidate]! < tie[cluster]!);
        if (there < earliest || equal) {
          earliest = there;
          cluster = candidate;
        }
      }
      label[v] = cluster;
      end[v] = earliest + view.work[v]!;
      clusterEnd[cluster] = end[v]!;
      for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
        const next = view.out[edge]!;
        start[next] = Math.max(start[next]!, end[v]! + transfer[v]!);
        if (--waits[next]! === 0) release(next);
      }
    }
    return convexify(view, label);
  },
};
