import type { SmallGraph } from "./small-graph.ts";

/** For every task of a set: bounds that hold in every grouping of the tasks. */
export interface OpenTimes {
  /** Earliest end of the overhead of the part that the task is in. */
  readonly ready: Float64Array;
  /** Earliest end of the part that the task is in. */
  readonly end: Float64Array;
}

/**
 * Bounds on the tasks of `set`, of which nothing is decided but that they lie in other parts than the rest of the plan
 * (LB7 of docs/optimizer/bounds.md on single tasks). O(n · d²) for d dependencies a task.
 * @param release earliest start of a part that holds the task, as far as it is known from outside the set.
 * @param into where the figures go; of tasks outside the set they are left as they are.
 */
export function openTimes(
  graph: SmallGraph,
  set: number,
  overheadMs: number,
  release: Float64Array,
  direct: Int32Array,
  into: OpenTimes,
): void {
  const { ready, end } = into;
  const { work } = graph;
  for (let rest = set; rest !== 0; rest &= rest - 1) {
    const v = 31 - Math.clz32(rest & -rest);
    const open = direct[v]! & set;
    let from = release[v]! + overheadMs;
    let latest = 0;
    for (let left = open; left !== 0; left &= left - 1) {
      const u = 31 - Math.clz32(left & -left);
      if (ready[u]! > from) from = ready[u]!;
      if (end[u]! > latest) latest = end[u]!;
    }
    ready[v] = from;
    let start = Math.max(from, latest);
    if (open !== 0) {
      // Which of the open dependencies share the part: those that end last, down to some point.
      let inside = 0;
      let least = Number.POSITIVE_INFINITY;
      for (let outside = open; ; ) {
        let last = -1;
        for (let left = outside; left !== 0; left &= left - 1) {
          const u = 31 - Math.clz32(left & -left);
          if (last === -1 || end[u]! > end[last]!) last = u;
        }
        const own = (last === -1 || end[last]! + overheadMs < from ? from : end[last]! + overheadMs) + inside;
        if (own < least) least = own;
        if (last === -1 || inside >= least) break;
        outside &= ~(1 << last);
        inside += work[last]!;
      }
      if (least > start) start = least;
    }
    end[v] = start + work[v]!;
  }
}

/** Direct dependencies of each task by the transitive reduction, as sets. */
export function directBefore(graph: SmallGraph): Int32Array {
  const sets = new Int32Array(graph.n);
  for (let edge = 0; edge < graph.from.length; edge++) sets[graph.to[edge]!]! |= 1 << graph.from[edge]!;
  return sets;
}
