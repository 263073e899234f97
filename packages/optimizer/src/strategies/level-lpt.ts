import { type PlanView, taskLevels } from "@planloom/plan";
import { canonicalOrder } from "../canonical-order.ts";
import { fromLabels } from "../partition.ts";
import { PriorityHeap } from "../priority-heap.ts";
import type { RuleStrategy } from "../strategy.ts";

/**
 * Cuts the plan into topological levels and packs each into at most as many subgraphs as there are executors, the
 * longest task first into the least loaded one (LPT, Graham 1969; Pegasus horizontal clustering with the runtime
 * balancing of Chen et al., FGCS 2015). As many rounds as the plan is deep, each balanced. O((n + m) + n log n).
 */
export const levelLpt: RuleStrategy = {
  name: "level-lpt",
  version: "1",
  description: "tasks at the same depth are spread evenly over the executors",
  deterministic: true,
  propose(view, environment) {
    const { ptr, order } = levels(view);
    const tie = canonicalOrder(view);
    const label = new Int32Array(view.n);
    let nextLabel = 0;
    for (let level = 0; level + 1 < ptr.length; level++) {
      const tasks = order.subarray(ptr[level]!, ptr[level + 1]!);
      const bins = Math.min(environment.executors, tasks.length);
      if (bins < tasks.length) {
        tasks.sort((left, right) => view.work[right]! - view.work[left]! || tie[left]! - tie[right]!);
        const load = new Float64Array(bins);
        const lightest = new PriorityHeap((a, b) => load[a]! < load[b]! || (load[a] === load[b] && a < b));
        for (let bin = 0; bin < bins; bin++) lightest.push(bin);
        for (const v of tasks) {
          const bin = lightest.pop()!;
          load[bin]! += view.work[v]!;
          label[v] = nextLabel + bin;
          lightest.push(bin);
        }
      } else
        tasks.forEach((v, at) => {
          label[v] = nextLabel + at;
        });
      nextLabel += bins;
    }
    return fromLabels(label);
  },
};

/** Tasks by length of the longest path before them, counted in tasks; level l is `order[ptr[l] .. ptr[l + 1])`. */
function levels(view: PlanView): { ptr: Int32Array; order: Int32Array } {
  const depth = taskLevels(view);
  let count = 0;
  for (const level of depth) count = Math.max(count, level + 1);
  const ptr = new Int32Array(count + 1);
  for (const level of depth) ptr[level + 1]!++;
  for (let level = 0; level < count; level++) ptr[level + 1]! += ptr[level]!;
  const fill = ptr.slice(0, count);
  const order = new Int32Array(view.n);
  for (let v = 0; v < view.n; v++) order[fill[depth[v]!]!++] = v;
  return { ptr, order };
}
