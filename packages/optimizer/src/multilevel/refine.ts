import type { Random } from "../random.ts";
import type { WeightedDag } from "./weighted-dag.ts";

/**
 * Local search on an ordered partition: parts `0 … parts - 1`, no edge goes to a lower one. A vertex may move to any
 * part between the last of its inputs and the first of its consumers, so the order, and with it acyclicity, is kept.
 * Each pass visits all vertices in random order and makes the move that saves most connectivity, or one that saves nothing
 * but improves the balance. O(passes (n parts + m parts)), and n times `parts` words.
 * @param most weight that each part may have.
 */
export function refine(dag: WeightedDag, part: Int32Array, most: Float64Array, passes: number, random: Random): void {
  const parts = most.length;
  const weight = new Float64Array(parts);
  for (let v = 0; v < dag.n; v++) weight[part[v]!]! += dag.weight[v]!;
  const order = Int32Array.from({ length: dag.n }, (_, v) => v);
  // How many consumers each vertex has in each part.
  const readers = new Int32Array(dag.n * parts);
  for (let v = 0; v < dag.n; v++) {
    for (let edge = dag.outPtr[v]!; edge < dag.outPtr[v + 1]!; edge++) readers[v * parts + part[dag.out[edge]!]!]!++;
  }
  for (let pass = 0; pass < passes; pass++) {
    for (let at = dag.n - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1));
      [order[at], order[other]] = [order[other]!, order[at]!];
    }
    let moved = 0;
    for (const v of order) {
      const own = part[v]!;
      let low = 0;
      let high = parts - 1;
      for (let edge = dag.inPtr[v]!; edge < dag.inPtr[v + 1]!; edge++) low = Math.max(low, part[dag.in[edge]!]!);
      for (let edge = dag.outPtr[v]!; edge < dag.outPtr[v + 1]!; edge++) high = Math.min(high, part[dag.out[edge]!]!);
      if (low === high) continue;
      const here = costAt(dag, part, readers, parts, v, own);
      let best = own;
      let bestSaving = 0;
      let bestWeight = weight[own]!;
      for (let target = low; target <= high; target++) {
        const loaded = weight[target]! + dag.weight[v]!;
        if (target === own || (loaded > most[target]! && loaded > weight[own]!)) continue;
        const saving = here - costAt(dag, part, readers, parts, v, target) + (weight[own]! > most[own]! ? 1e9 : 0);
        if (saving > bestSaving + 1e-12 || (saving >= bestSaving - 1e-12 && loaded < bestWeight - 1e-12)) {
          best = target;
          bestSaving = Math.max(saving, bestSaving);
          bestWeight = loaded;
        }
      }
      if (best === own) continue;
      part[v] = best;
      for (let edge = dag.inPtr[v]!; edge < dag.inPtr[v + 1]!; edge++) {
        readers[dag.in[edge]! * parts + own]!--;
        readers[dag.in[edge]! * parts + best]!++;
      }
      weight[own]! -= dag.weight[v]!;
      weight[best]! += dag.weight[v]!;
      moved++;
    }
    if (moved < dag.n / 200) return;
  }
}

/** What v costs in part `at`: its own readers elsewhere, and its inputs where it is the only reader in that part. */
export function costAt(
  dag: WeightedDag,
  part: Int32Array,
  readers: Int32Array,
  parts: number,
  v: number,
  at: number,
): number {
  let cost = 0;
  for (let p = 0; p < parts; p++) if (p !== at && readers[v * parts + p]! > 0) cost += dag.cost[v]!;
  const self = part[v] === at ? 1 : 0;
  for (let edge = dag.inPtr[v]!; edge < dag.inPtr[v + 1]!; edge++) {
    const u = dag.in[edge]!;
    if (part[u] !== at && readers[u * parts + at] === self) cost += dag.cost[u]!;
  }
  return cost;
}

/** Sum over vertices of cost times foreign parts that read them. O(n + m). */
export function connectivity(dag: WeightedDag, part: Int32Array, parts: number): number {
  const sentTo = new Int32Array(parts).fill(-1);
  let cost = 0;
  for (let v = 0; v < dag.n; v++) {
    for (let edge = dag.outPtr[v]!; edge < dag.outPtr[v + 1]!; edge++) {
      const target = part[dag.out[edge]!]!;
      if (target === part[v] || sentTo[target] === v) continue;
      sentTo[target] = v;
      cost += dag.cost[v]!;
    }
  }
  return cost;
}
