import type { PlanView } from "@planloom/plan";
import { keepBest } from "../clustering/keep-best.ts";
import { bottomLevels, byFalling } from "../clustering/levels.ts";
import { simulatedAspects } from "../environment-aspects.ts";
import { fromLabels, type Partition } from "../partition.ts";
import { PriorityHeap } from "../priority-heap.ts";
import type { RuleStrategy } from "../strategy.ts";

/**
 * Grows one cluster after another along the front of free tasks, taking first those with most inputs in the cluster, until
 * it holds a given amount of work; sizes from one task to the whole plan, doubling, and the simulator chooses (GDCA, Bramas
 * and Ketterlin, PeerJ CS 2020, which also chooses the granularity by estimating the execution). Clusters are segments of
 * a topological order, so the quotient is acyclic. O((n + m) log n) a size, O(log n) sizes.
 */
export const gdca: RuleStrategy = {
  name: "gdca",
  version: "1",
  description: "subgraphs grow along the front of free tasks to the size that simulates best",
  regards: simulatedAspects,
  deterministic: true,
  largest: 32_768,
  propose(view, environment) {
    return keepBest(view, environment, bySize(view));
  },
};

function* bySize(view: PlanView): Iterable<Partition> {
  let total = 0;
  for (const work of view.work) total += work;
  const before = byFalling(view, bottomLevels(view, new Float64Array(view.n)));
  for (let tasks = 2; tasks < 2 * view.n; tasks *= 2) yield grow(view, before, (total / view.n) * tasks);
}

function grow(view: PlanView, before: (left: number, right: number) => boolean, most: number): Partition {
  const { n } = view;
  const waits = Int32Array.from({ length: n }, (_, v) => view.inPtr[v + 1]! - view.inPtr[v]!);
  const label = new Int32Array(n).fill(-1);
  const inputs = new Int32Array(n);
  const countedFor = new Int32Array(n).fill(-1);
  const front = new PriorityHeap(before);
  // A task here has been freed by the current cluster, so its number of inputs in it is final.
  const near = new PriorityHeap(
    (left, right) => inputs[left]! > inputs[right]! || (inputs[left] === inputs[right] && before(left, right)),
  );
  for (let v = 0; v < n; v++) if (waits[v] === 0) front.push(v);
  let cluster = 0;
  let work = 0;
  for (let placed = 0; placed < n; placed++) {
    const v = (near.pop() ?? front.pop())!;
    if (work > 0 && work + view.work[v]! > most) {
      cluster++;
      work = 0;
      for (let each = near.pop(); each !== undefined; each = near.pop()) front.push(each);
    }
    label[v] = cluster;
    work += view.work[v]!;
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      const next = view.out[edge]!;
      if (countedFor[next] !== cluster) {
        countedFor[next] = cluster;
        inputs[next] = 0;
      }
      inputs[next]!++;
      if (--waits[next]! === 0) near.push(next);
    }
  }
  return fromLabels(label);
}
