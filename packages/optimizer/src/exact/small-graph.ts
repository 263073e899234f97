import type { PlanView } from "@planloom/plan";

/** Tasks that fit into the bits of one integer. */
export const SMALL_TASKS = 30;

/**
 * A plan of at most `SMALL_TASKS` tasks as bit sets. Tasks are renumbered so that `0, 1, …` is a topological order; bit v
 * means task v.
 */
export interface SmallGraph {
  readonly n: number;
  readonly work: Float64Array;
  /** Direct dependencies, as sets. */
  readonly before: Int32Array;
  /** Direct dependents, as sets. */
  readonly after: Int32Array;
  /** All tasks that each task reaches, itself left out. */
  readonly reach: Int32Array;
  /** Edges that no longer path implies (the transitive reduction). Edge i goes from `from[i]` to `to[i]`. */
  readonly from: Int32Array;
  readonly to: Int32Array;
  /** Number of each task in the plan. */
  readonly task: Int32Array;
}

/** O(n² + m). @param tasks numbers of tasks of the view; edges to others are left out. @default all */
export function smallGraph(view: PlanView, tasks?: readonly number[]): SmallGraph {
  const wanted = tasks === undefined ? undefined : new Set(tasks);
  const task = Int32Array.from(view.topo.filter((v) => wanted === undefined || wanted.has(v)));
  const number = new Map<number, number>();
  task.forEach((v, at) => {
    number.set(v, at);
  });
  const pairs: [number, number][] = [];
  task.forEach((v, at) => {
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      const target = number.get(view.out[edge]!);
      if (target !== undefined) pairs.push([at, target]);
    }
  });
  return graphOf(
    Float64Array.from(task, (v) => view.work[v]!),
    pairs,
    task,
  );
}

/** The same tasks with every edge turned round, numbered from the other end. */
export function reversed(graph: SmallGraph): SmallGraph {
  const last = graph.n - 1;
  const pairs: [number, number][] = [];
  graph.from.forEach((u, edge) => {
    pairs.push([last - graph.to[edge]!, last - u]);
  });
  return graphOf(graph.work.slice().reverse(), pairs, graph.task.slice().reverse());
}

/** The tasks of the set, with what is between them. */
export function induced(graph: SmallGraph, set: number): SmallGraph {
  const kept: number[] = [];
  const number = new Int32Array(graph.n);
  for (let v = 0; v < graph.n; v++) {
    if ((set & (1 << v)) === 0) continue;
    number[v] = kept.length;
    kept.push(v);
  }
  const pairs: [number, number][] = [];
  for (const u of kept) {
    for (const v of kept) if ((graph.reach[u]! & (1 << v)) !== 0) pairs.push([number[u]!, number[v]!]);
  }
  return graphOf(
    Float64Array.from(kept, (v) => graph.work[v]!),
    pairs,
    Int32Array.from(kept, (v) => graph.task[v]!),
  );
}

/** Weakly connected components, as sets. */
export function componentsOf(graph: SmallGraph): number[] {
  const sets: number[] = [];
  let left = graph.n === 32 ? -1 : (1 << graph.n) - 1;
  while (left !== 0) {
    let set = left & -left;
    for (let grown = set; grown !== 0; ) {
      const v = 31 - Math.clz32(grown);
      grown ^= 1 << v;
      const fresh = (graph.before[v]! | graph.after[v]!) & ~set;
      set |= fresh;
      grown |= fresh;
    }
    sets.push(set);
    left &= ~set;
  }
  return sets;
}

function graphOf(work: Float64Array, pairs: readonly [number, number][], task: Int32Array): SmallGraph {
  const n = work.length;
  const before = new Int32Array(n);
  const after = new Int32Array(n);
  const reach = new Int32Array(n);
  for (const [u, v] of pairs) {
    before[v]! |= 1 << u;
    after[u]! |= 1 << v;
  }
  for (let u = n - 1; u >= 0; u--) {
    reach[u] = after[u]!;
    for (let v = u + 1; v < n; v++) if ((after[u]! & (1 << v)) !== 0) reach[u]! |= reach[v]!;
  }
  const from: number[] = [];
  const to: number[] = [];
  for (let u = 0; u < n; u++) {
    let further = 0;
    for (let v = u + 1; v < n; v++) if ((after[u]! & (1 << v)) !== 0) further |= reach[v]!;
    for (let v = u + 1; v < n; v++) {
      if ((after[u]! & ~further & (1 << v)) === 0) continue;
      from.push(u);
      to.push(v);
    }
  }
  return { n, work, before, after, reach, from: Int32Array.from(from), to: Int32Array.from(to), task };
}

/** The least task of a set that is not empty. */
export function lowestTask(set: number): number {
  return 31 - Math.clz32(set & -set);
}
