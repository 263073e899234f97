import type { PlanView } from "./plan-view.ts";

/**
 * Longest remaining path from the start of each task to the end of the plan, its own work included, in milliseconds
 * (the upward rank of HEFT without communication). O(n + m).
 */
export function upwardRanks(view: PlanView): Float64Array {
  const { n, outPtr, out, topo, inOrder, work } = view;
  const rank = new Float64Array(n);
  for (let i = n - 1; i >= 0; i--) {
    const task = inOrder ? i : topo[i]!;
    let longest = 0;
    for (let edge = outPtr[task]!, last = outPtr[task + 1]!; edge < last; edge++) {
      const next = rank[out[edge]!]!;
      if (next > longest) longest = next;
    }
    rank[task] = longest + work[task]!;
  }
  return rank;
}

/** Earliest start of each task with unlimited executors: the longest path before it, own work excluded. O(n + m). */
export function headLengths(view: PlanView): Float64Array {
  const { n, outPtr, out, topo, inOrder, work } = view;
  const head = new Float64Array(n);
  for (let i = 0; i < n; i++) {
    const task = inOrder ? i : topo[i]!;
    const end = head[task]! + work[task]!;
    for (let edge = outPtr[task]!, last = outPtr[task + 1]!; edge < last; edge++) {
      const next = out[edge]!;
      if (end > head[next]!) head[next] = end;
    }
  }
  return head;
}

/** Level of each task: 0 without dependencies, else one more than its deepest dependency. O(n + m). */
export function taskLevels(view: Pick<PlanView, "n" | "outPtr" | "out" | "topo">): Int32Array {
  const { n, outPtr, out, topo } = view;
  const level = new Int32Array(n);
  for (let i = 0; i < n; i++) {
    const task = topo[i]!;
    const below = level[task]! + 1;
    for (let edge = outPtr[task]!; edge < outPtr[task + 1]!; edge++) {
      if (level[out[edge]!]! < below) level[out[edge]!] = below;
    }
  }
  return level;
}

export interface GraphBounds {
  /** Length of the longest path, in milliseconds. */
  readonly criticalPath: number;
  /** All work divided by k, in milliseconds; 0 for unlimited executors. */
  readonly work: number;
  /** The larger of the two. */
  readonly best: number;
}

/**
 * Bounds that no execution of the plan on `k` executors can beat, in milliseconds, when each attempt takes `work`.
 *
 * Proof. (1) Critical path: along a path v1 → … → vp a task starts only after the one before it has ended, so the last
 * ends no earlier than work(v1) + … + work(vp), on any number of executors. (2) Work: an executor is busy with at most
 * one task at a time, so up to time T the k executors do at most k·T of work; all of it must be done, so
 * T ≥ (sum of work) / k. Both hold for every schedule, so does their maximum. They ignore overheads, retries and
 * limits per resource, which can only lengthen a run. In floating point they hold up to rounding of the sums.
 * @param k executors, at least 1; `Infinity` allowed.
 */
export function lowerBounds(view: PlanView, k: number): GraphBounds {
  if (!(k >= 1)) throw new RangeError(`Expected k to be at least 1, got ${k}.`);
  let criticalPath = 0;
  for (const rank of upwardRanks(view)) if (rank > criticalPath) criticalPath = rank;
  let total = 0;
  for (const work of view.work) total += work;
  const work = total / k;
  return { criticalPath, work, best: Math.max(criticalPath, work) };
}
