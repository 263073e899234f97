import type { PlanView } from "@planloom/plan";
import { canonicalOrder } from "../canonical-order.ts";
import { PriorityHeap } from "../priority-heap.ts";

/** Longest path from the start of each task to the end of the plan, transfers counted on every edge. O(n + m). */
export function bottomLevels(view: PlanView, transfer: Float64Array): Float64Array {
  const level = new Float64Array(view.n);
  for (let at = view.n - 1; at >= 0; at--) {
    const v = view.topo[at]!;
    let longest = 0;
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      longest = Math.max(longest, transfer[v]! + level[view.out[edge]!]!);
    }
    level[v] = longest + view.work[v]!;
  }
  return level;
}

/** Longest path from the start of the plan to the start of each task, transfers counted on every edge. O(n + m). */
export function topLevels(view: PlanView, transfer: Float64Array): Float64Array {
  const level = new Float64Array(view.n);
  for (const v of view.topo) {
    const end = level[v]! + view.work[v]! + transfer[v]!;
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      level[view.out[edge]!] = Math.max(level[view.out[edge]!]!, end);
    }
  }
  return level;
}

/** `before` for tasks by falling `priority`, ties as `canonicalOrder`. */
export function byFalling(view: PlanView, priority: Float64Array): (left: number, right: number) => boolean {
  const tie = canonicalOrder(view);
  return (left, right) =>
    priority[left]! > priority[right]! || (priority[left] === priority[right] && tie[left]! < tie[right]!);
}

/** The topological order that always takes the free task that `before` puts first. O((n + m) log n). */
export function topologicalOrderBy(view: PlanView, before: (left: number, right: number) => boolean): Int32Array {
  const waits = Int32Array.from({ length: view.n }, (_, v) => view.inPtr[v + 1]! - view.inPtr[v]!);
  const free = new PriorityHeap(before);
  const order = new Int32Array(view.n);
  for (let v = 0; v < view.n; v++) if (waits[v] === 0) free.push(v);
  for (let at = 0; at < view.n; at++) {
    const v = free.pop()!;
    order[at] = v;
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      if (--waits[view.out[edge]!]! === 0) free.push(view.out[edge]!);
    }
  }
  return order;
}
