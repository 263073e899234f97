import type { PlanView } from "@planloom/plan";

// What is counted of anybody's parts: those of METIS, dagP, OneStopParallel and ours.

/** Foreign parts that read each task's output, summed. */
export function connectivity(view: PlanView, part: ArrayLike<number>): number {
  let sum = 0;
  for (let v = 0; v < view.n; v++) {
    const readers = new Set<number>();
    for (let at = view.outPtr[v]!; at < view.outPtr[v + 1]!; at++) readers.add(part[view.out[at]!]!);
    readers.delete(part[v]!);
    sum += readers.size;
  }
  return sum;
}

/** Dependencies between tasks of different parts. */
export function edgeCut(view: PlanView, part: ArrayLike<number>): number {
  let sum = 0;
  for (let v = 0; v < view.n; v++)
    for (let at = view.outPtr[v]!; at < view.outPtr[v + 1]!; at++) if (part[view.out[at]!] !== part[v]) sum++;
  return sum;
}

/** Whether some parts wait for one another. */
export function hasCycle(view: PlanView, part: ArrayLike<number>, count: number): boolean {
  return partLevels(view, part, count) === undefined;
}

/** The number of parts on the longest path before each part; undefined where some wait for one another. */
export function partLevels(view: PlanView, part: ArrayLike<number>, count: number): Int32Array | undefined {
  const after: Set<number>[] = Array.from({ length: count }, () => new Set());
  for (let v = 0; v < view.n; v++)
    for (let at = view.outPtr[v]!; at < view.outPtr[v + 1]!; at++)
      if (part[v] !== part[view.out[at]!]) after[part[v]!]!.add(part[view.out[at]!]!);
  const waits = new Int32Array(count);
  for (const each of after) for (const q of each) waits[q]!++;
  const level = new Int32Array(count);
  const free = Array.from({ length: count }, (_, p) => p).filter((p) => waits[p] === 0);
  for (let at = 0; at < free.length; at++) {
    for (const q of after[free[at]!]!) {
      level[q] = Math.max(level[q]!, level[free[at]!]! + 1);
      if (--waits[q]! === 0) free.push(q);
    }
  }
  return free.length < count ? undefined : level;
}

/** By how much the part with most tasks has more than the mean, as a fraction of it. */
export function imbalance(view: PlanView, part: ArrayLike<number>, count: number): number {
  const size = new Int32Array(count);
  for (let v = 0; v < view.n; v++) size[part[v]!]!++;
  return (Math.max(...size) * count) / view.n - 1;
}
