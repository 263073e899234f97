import { type PlanView, taskLevels } from "@planloom/plan";
import { canonicalOrder, canonicalSequence } from "../canonical-order.ts";
import { fromLabels } from "../partition.ts";
import { orderByFallingKey } from "../radix-order.ts";
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
    // Beyond some size the canonical order is plan order, in which levels stand already.
    const tie = canonicalSequence(view) === undefined ? undefined : canonicalOrder(view);
    const spare = new Int32Array(view.n);
    const label = new Int32Array(view.n);
    let nextLabel = 0;
    for (let level = 0; level + 1 < ptr.length; level++) {
      const tasks = order.subarray(ptr[level]!, ptr[level + 1]!);
      const bins = Math.min(environment.executors, tasks.length);
      if (bins < tasks.length) {
        if (tie !== undefined) tasks.sort((left, right) => tie[left]! - tie[right]!);
        orderByFallingKey(tasks, view.work, spare.subarray(0, tasks.length));
        spread(tasks, view.work, bins, label, nextLabel);
      } else
        tasks.forEach((v, at) => {
          label[v] = nextLabel + at;
        });
      nextLabel += bins;
    }
    return fromLabels(label);
  },
};

/** Gives each task in turn to the lightest bin, a heap by load and then number. */
function spread(tasks: Int32Array, work: Float64Array, bins: number, label: Int32Array, first: number): void {
  const load = new Float64Array(bins);
  const heap = Int32Array.from({ length: bins }, (_, bin) => bin);
  for (let next = 0; next < tasks.length; next++) {
    const v = tasks[next]!;
    const bin = heap[0]!;
    const own = load[bin]! + work[v]!;
    load[bin] = own;
    label[v] = first + bin;
    let at = 0;
    for (let child = 1; child < bins; child = 2 * at + 1) {
      const left = heap[child]!;
      const right = heap[child + 1]!;
      if (child + 1 < bins && (load[right]! < load[left]! || (load[right] === load[left] && right < left))) child++;
      const lighter = heap[child]!;
      if (load[lighter]! > own || (load[lighter] === own && lighter > bin)) break;
      heap[at] = lighter;
      at = child;
    }
    heap[at] = bin;
  }
}

/** Tasks by length of the longest path before them, counted in tasks; level l is `order[ptr[l] .. ptr[l + 1])`. */
function levels(view: PlanView): { ptr: Int32Array; order: Int32Array } {
  const depth = taskLevels(view);
  // The order of a view goes level by level.
  const count = view.n === 0 ? 0 : depth[view.topo[view.n - 1]!]! + 1;
  const ptr = new Int32Array(count + 1);
  for (let v = 0; v < view.n; v++) ptr[depth[v]! + 1]!++;
  for (let level = 0; level < count; level++) ptr[level + 1]! += ptr[level]!;
  const fill = ptr.slice(0, count);
  const order = new Int32Array(view.n);
  for (let v = 0; v < view.n; v++) order[fill[depth[v]!]!++] = v;
  return { ptr, order };
}
