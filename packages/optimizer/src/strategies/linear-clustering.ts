import { convexify } from "../clustering/convexify.ts";
import { bottomLevels, byFalling } from "../clustering/levels.ts";
import { transferCosts } from "../clustering/transfer-cost.ts";
import type { RuleStrategy } from "../strategy.ts";

/**
 * Every cluster is a path: the heaviest one from the task with the longest remaining path, over successors that are in no
 * cluster yet, and so on with what is left (Kim and Browne, ICPP 1988). On coarse-grained plans within twice the optimum on
 * unlimited executors before the clusters are made acyclic (Gerasoulis and Yang 1993). Remaining paths are measured once
 * on the whole plan, not again after every cluster as in the paper, which makes it O((n + m) + n log n) instead of
 * O(n (n + m)).
 */
export const linearClustering: RuleStrategy = {
  name: "linear-clustering",
  version: "1",
  description: "the heaviest paths become subgraphs, one after another",
  regards: ["overhead", "transfers"],
  deterministic: true,
  largest: 32_768,
  propose(view, environment) {
    const level = bottomLevels(view, transferCosts(view, environment));
    const before = byFalling(view, level);
    const starts = Int32Array.from({ length: view.n }, (_, v) => v).sort((left, right) =>
      left === right ? 0 : before(left, right) ? -1 : 1,
    );
    const label = new Int32Array(view.n).fill(-1);
    for (const start of starts) {
      for (let v = start; v !== -1 && label[v] === -1; ) {
        label[v] = start;
        let next = -1;
        for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
          const w = view.out[edge]!;
          if (label[w] === -1 && (next === -1 || before(w, next))) next = w;
        }
        v = next;
      }
    }
    return convexify(view, label);
  },
};
