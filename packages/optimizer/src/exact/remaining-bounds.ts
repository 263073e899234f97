import { directBefore, openTimes } from "./open-bound.ts";
import type { PartLimits } from "./part-limits.ts";
import { induced, reversed, type SmallGraph } from "./small-graph.ts";
import { solveUnlimited } from "./solve-unlimited.ts";

/** What the tasks that are left say of the end of the plan, whatever is done with them. */
export class RemainingBounds {
  /** Least time from the end of the part of each task to the end of the plan. */
  readonly afterEnd: Float64Array;
  /** Least time from the start of the part of each task to the end of the plan. */
  readonly fromStart: Float64Array;
  /** Direct dependencies of each task by the transitive reduction, as sets. */
  readonly direct: Int32Array;
  readonly #graph: SmallGraph;
  readonly #overheadMs: number;
  readonly #until: number;
  readonly #tail: Float64Array;
  readonly #byTail: readonly number[];
  readonly #everything: number;
  readonly #start: Float64Array;
  readonly #open: { readonly ready: Float64Array; readonly end: Float64Array };
  readonly #alone = new Map<number, number>();

  /** @param until `Date.now()` from which on searches within are cut off, and say less. */
  constructor(graph: SmallGraph, overheadMs: number, until: number) {
    const { n } = graph;
    const { tail, byTail, afterEnd, fromStart } = staticBounds(graph, overheadMs, until);
    this.#graph = graph;
    this.#overheadMs = overheadMs;
    this.#until = until;
    this.#tail = tail;
    this.#byTail = byTail;
    this.afterEnd = afterEnd;
    this.fromStart = fromStart;
    this.direct = directBefore(graph);
    this.#everything = 2 ** n - 1;
    this.#start = new Float64Array(n);
    this.#open = { ready: new Float64Array(n), end: new Float64Array(n) };
  }

  /** What free executors and the work that is left say. @param set tasks dispatched */
  load(set: number, free: Float64Array): number {
    const { work } = this.#graph;
    const tail = this.#tail;
    const overheadMs = this.#overheadMs;
    const count = free.length;
    let bound = free[count - 1]!;
    let load = 0;
    for (const v of this.#byTail) {
      if ((set & (1 << v)) !== 0) continue;
      load += work[v]!;
      const level = fill(free, count, load, overheadMs) + tail[v]!;
      if (level > bound) bound = level;
    }
    return bound;
  }

  /** What the tasks that are left have to wait for, and what waits for them. @param set tasks dispatched */
  path(set: number, free: Float64Array, release: Float64Array): number {
    const { ready, end } = this.#open;
    const { fromStart, afterEnd } = this;
    const start = this.#start;
    const overheadMs = this.#overheadMs;
    const rest = this.#everything & ~set;
    let bound = 0;
    for (let left = rest; left !== 0; left &= left - 1) {
      const v = 31 - Math.clz32(left & -left);
      start[v] = Math.max(release[v]!, free[0]!);
    }
    openTimes(this.#graph, rest, overheadMs, start, this.direct, this.#open);
    for (let left = rest; left !== 0; left &= left - 1) {
      const v = 31 - Math.clz32(left & -left);
      const through = Math.max(ready[v]! - overheadMs + fromStart[v]!, end[v]! + afterEnd[v]!);
      if (through > bound) bound = through;
    }
    return bound;
  }

  /** How long the tasks that are left take on executors without limit; costlier than the others. @param set tasks dispatched */
  alone(set: number): number {
    const rest = this.#everything & ~set;
    let least = this.#alone.get(rest);
    if (least === undefined) {
      const budget = { nodes: 2000, until: this.#until };
      least = solveUnlimited(induced(this.#graph, rest), this.#overheadMs, anything, budget).bound;
      this.#alone.set(rest, least);
    }
    return least;
  }
}

const anything: PartLimits = { fits: () => true, mayGrow: () => true };

/** Earliest time by which `load` can be done when every executor that takes any of it pays an overhead first. */
function fill(free: Float64Array, count: number, load: number, overheadMs: number): number {
  let sum = load;
  for (let used = 1; ; used++) {
    sum += free[used - 1]! + overheadMs;
    const level = sum / used;
    if (used === count || level <= free[used]! + overheadMs) return level;
  }
}

function staticBounds(graph: SmallGraph, overheadMs: number, until: number) {
  const { n, work, reach } = graph;
  const tail = new Float64Array(n);
  for (let v = n - 1; v >= 0; v--) {
    for (let left = reach[v]!; left !== 0; left &= left - 1) {
      const next = 31 - Math.clz32(left & -left);
      tail[v] = Math.max(tail[v]!, tail[next]! + work[next]!);
    }
  }
  const byTail = Array.from({ length: n }, (_, v) => v).sort((left, right) => tail[right]! - tail[left]!);
  const back = reversed(graph);
  const times = { ready: new Float64Array(n), end: new Float64Array(n) };
  openTimes(back, 2 ** n - 1, overheadMs, new Float64Array(n), directBefore(back), times);
  const afterEnd = Float64Array.from({ length: n }, (_, v) => times.ready[n - 1 - v]! - overheadMs);
  // A task and all that follows from it start no earlier than its part.
  const fromStart = Float64Array.from({ length: n }, (_, v) => {
    const set = reach[v]! | (1 << v);
    const own =
      set === 1 << v ? 0 : solveUnlimited(induced(graph, set), overheadMs, anything, { nodes: 500, until }).bound;
    return Math.max(times.end[n - 1 - v]!, own);
  });
  return { tail, byTail, afterEnd, fromStart };
}
