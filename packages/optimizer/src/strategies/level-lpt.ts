import { canonicalOrder, canonicalSequence } from "../canonical-order.ts";
import { orderByFallingKey } from "../radix-order.ts";
import { replaceRoot } from "../running-heap.ts";
import type { RuleStrategy } from "../strategy.ts";

/**
 * Cuts the plan into topological levels and packs each into at most as many subgraphs as there are executors, the
 * longest task first into the least loaded one (LPT, Graham 1969; Pegasus horizontal clustering with the runtime
 * balancing of Chen et al., FGCS 2015). As many rounds as the plan is deep, each balanced; no more subgraphs in one than tasks that
 * take time. Parts are numbered level by level. O((n + m) + n log n).
 */
export const levelLpt: RuleStrategy = {
  name: "level-lpt",
  version: "2",
  description: "tasks at the same depth are spread evenly over the executors",
  regards: ["executors"],
  deterministic: true,
  propose(view, environment) {
    const { n, work, levelPtr } = view;
    const order = view.topo.slice();
    // Beyond some size ties stay as the view has them.
    const tie = canonicalSequence(view) === undefined ? undefined : canonicalOrder(view);
    const spare = new Int32Array(n);
    const part = new Int32Array(n);
    const most = Math.min(environment.executors, n);
    const load = new Float64Array(most + 1);
    const heap = new Int32Array(most);
    let count = 0;
    for (let level = 0; level + 1 < levelPtr.length; level++) {
      const start = levelPtr[level]!;
      const end = levelPtr[level + 1]!;
      if (end - start <= most) {
        for (let at = start; at < end; at++) part[order[at]!] = count + at - start;
        count += end - start;
        continue;
      }
      const tasks = order.subarray(start, end);
      if (tie !== undefined) tasks.sort((left, right) => tie[left]! - tie[right]!);
      orderByFallingKey(tasks, work, spare.subarray(0, tasks.length));
      // The first task of each bin; in reverse they are a heap, lightest first.
      let bins = 1;
      while (bins < most && work[tasks[bins]!]! > 0) bins++;
      for (let bin = 0; bin < bins; bin++) {
        load[bins - 1 - bin] = work[tasks[bin]!]!;
        heap[bins - 1 - bin] = bin;
        part[tasks[bin]!] = count + bin;
      }
      for (let at = bins; at < tasks.length; at++) {
        const v = tasks[at]!;
        const bin = heap[0]!;
        part[v] = count + bin;
        replaceRoot(load, heap, bins, load[0]! + work[v]!, bin);
      }
      count += bins;
    }
    return { part, count };
  },
};
