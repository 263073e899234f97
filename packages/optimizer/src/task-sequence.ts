import { type PlanView, taskLevels, upwardRanks } from "@planloom/plan";
import { canonicalOrder } from "./canonical-order.ts";

const cache = new WeakMap<PlanView, Int32Array>();

/**
 * The order in which an executor runs the tasks of a subgraph under pipelined dispatch, for all tasks of the plan: longest remaining path of the plan first (estimates, without overheads),
 * then those with fewer tasks on the longest path before them, then as `canonicalOrder`. Every task comes after all it depends on. Kept per view. O(n log n + m)
 */
export function taskSequence(view: PlanView): Int32Array {
  let sequence = cache.get(view);
  if (sequence === undefined) {
    const rank = upwardRanks(view);
    const level = taskLevels(view);
    const tie = canonicalOrder(view);
    sequence = Int32Array.from({ length: view.n }, (_, v) => v).sort(
      (left, right) => rank[right]! - rank[left]! || level[left]! - level[right]! || tie[left]! - tie[right]!,
    );
    cache.set(view, sequence);
  }
  return sequence;
}
