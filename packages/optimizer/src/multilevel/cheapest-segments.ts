import type { WeightedDag } from "./weighted-dag.ts";

/** Above this many numbers (vertices times parts) the segments would take too much memory. */
const mostCells = 8_000_000;

/**
 * Cuts one topological order into segments where it costs least: of all segments that keep to `most`, those with the least sum, over their borders, of the
 * cost of outputs that are still to be read there. That sum is never below the connectivity of the segments. O(n parts), by dynamic programming over borders.
 * @param most weight that each part may have
 * @returns the part of every vertex; undefined where no segments of the order keep to `most`, or the plan is too large
 */
export function cheapestSegments(dag: WeightedDag, order: Int32Array, most: Float64Array): Int32Array | undefined {
  const { n } = dag;
  const parts = most.length;
  if ((n + 1) * parts > mostCells) return undefined;
  const before = new Float64Array(n + 1);
  for (let at = 0; at < n; at++) before[at + 1] = before[at]! + dag.weight[order[at]!]!;
  const cost = borderCosts(dag, order);
  // `least[p]`: of the segments so far, up to border p.
  let least = new Float64Array(n + 1).fill(Number.POSITIVE_INFINITY);
  least[0] = 0;
  const cameFrom = new Int32Array(parts * (n + 1)).fill(-1);
  const window = new Int32Array(n + 1);
  for (let part = 0; part < parts; part++) {
    const next = new Float64Array(n + 1).fill(Number.POSITIVE_INFINITY);
    const limit = most[part]! * (1 + 1e-9);
    let first = 0;
    let last = 0;
    for (let p = 0; p <= n; p++) {
      while (last > first && least[window[last - 1]!]! >= least[p]!) last--;
      window[last++] = p;
      while (before[p]! - before[window[first]!]! > limit) first++;
      const from = window[first]!;
      const own = least[from]! + cost[p]!;
      // An empty part makes no border.
      const isEmpty = least[p]! <= own;
      next[p] = isEmpty ? least[p]! : own;
      cameFrom[part * (n + 1) + p] = isEmpty ? p : from;
    }
    least = next;
  }
  if (least[n] === Number.POSITIVE_INFINITY) return undefined;
  const partOf = new Int32Array(n);
  let end = n;
  for (let part = parts - 1; part >= 0; part--) {
    const begin = cameFrom[part * (n + 1) + end]!;
    for (let at = begin; at < end; at++) partOf[order[at]!] = part;
    end = begin;
  }
  return partOf;
}

/** For each border, after so many vertices of the order: the cost of outputs from before it that something after it reads. */
function borderCosts(dag: WeightedDag, order: Int32Array): Float64Array {
  const { n, outPtr, out } = dag;
  const place = new Int32Array(n);
  for (let at = 0; at < n; at++) place[order[at]!] = at;
  const cost = new Float64Array(n + 1);
  for (let v = 0; v < n; v++) {
    let last = -1;
    for (let edge = outPtr[v]!; edge < outPtr[v + 1]!; edge++) last = Math.max(last, place[out[edge]!]!);
    if (last === -1) continue;
    cost[place[v]! + 1]! += dag.cost[v]!;
    cost[last + 1]! -= dag.cost[v]!;
  }
  for (let p = 1; p <= n; p++) cost[p]! += cost[p - 1]!;
  return cost;
}
