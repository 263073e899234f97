import { taskLevels } from "@planloom/plan";
import type { Random } from "../random.ts";
import { contracted, type WeightedDag } from "./weighted-dag.ts";

export interface CoarserDag {
  readonly dag: WeightedDag;
  /** Vertex of `dag` that holds each vertex of the finer one. */
  readonly place: Int32Array;
}

/**
 * One step of coarsening: a matching of edges between neighbouring levels whose contraction is acyclic (Herrmann et al.,
 * SISC 2019). A cycle would have to run through matched edges only, from the lower end of one to the upper end of
 * another on the same two levels; so an edge is not matched when such a neighbour exists. Heavy costs first. O(n + m).
 * @param heaviest no pair gets heavier than that.
 * @param within where it is given, both of a pair have the same number there: parts that are to be refined stay whole
 */
export function coarsen(dag: WeightedDag, heaviest: number, random: Random, within?: Int32Array): CoarserDag {
  const { n } = dag;
  const topo = Int32Array.from({ length: n }, (_, v) => v);
  const level = taskLevels({ ...dag, topo });
  const mate = new Int32Array(n).fill(-1);
  const order = Int32Array.from({ length: n }, (_, v) => v);
  for (let at = n - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [order[at], order[other]] = [order[other]!, order[at]!];
  }
  for (const u of order) {
    if (mate[u] !== -1) continue;
    let best = -1;
    let bestValue = Number.NEGATIVE_INFINITY;
    for (let edge = dag.outPtr[u]!; edge < dag.outPtr[u + 1]!; edge++) {
      const v = dag.out[edge]!;
      if (mate[v] !== -1 || level[v] !== level[u]! + 1 || dag.weight[u]! + dag.weight[v]! > heaviest) continue;
      if (within !== undefined && within[u] !== within[v]) continue;
      // What the contraction hides: all of u's cost if v is its only consumer, else a share.
      const value =
        dag.cost[u]! / (dag.outPtr[u + 1]! - dag.outPtr[u]!) - (1e-3 * (dag.weight[u]! + dag.weight[v]!)) / heaviest;
      if (value > bestValue && mayMerge(dag, level, mate, u, v)) {
        best = v;
        bestValue = value;
      }
    }
    if (best === -1) continue;
    mate[u] = best;
    mate[best] = u;
  }
  const group = new Int32Array(n).fill(-1);
  let groups = 0;
  for (let v = 0; v < n; v++) {
    if (group[v] !== -1) continue;
    group[v] = groups;
    if (mate[v] !== -1) group[mate[v]!] = groups;
    groups++;
  }
  return contracted(dag, group, groups);
}

function mayMerge(dag: WeightedDag, level: Int32Array, mate: Int32Array, u: number, v: number): boolean {
  for (let edge = dag.outPtr[u]!; edge < dag.outPtr[u + 1]!; edge++) {
    const x = dag.out[edge]!;
    if (x !== v && level[x] === level[v] && mate[x] !== -1 && level[mate[x]!] === level[u]) return false;
  }
  for (let edge = dag.inPtr[v]!; edge < dag.inPtr[v + 1]!; edge++) {
    const y = dag.in[edge]!;
    if (y !== u && level[y] === level[u] && mate[y] !== -1 && level[mate[y]!] === level[v]) return false;
  }
  return true;
}
