import { RangeLeast } from "./range-least.ts";
import type { WeightedDag } from "./weighted-dag.ts";

/** Above this many borders to choose from, over all parts, segments would take too much memory. */
const mostCells = 8_000_000;

/**
 * Cuts one topological order into segments where it costs least: of all segments that keep to `most`, those of least connectivity. What a segment costs are the outputs from before it that
 * it reads, each once, so segments add up, and dynamic programming over their borders finds the best. Border p lies where the parts before it can have that much and the
 * parts after it the rest, so balanced parts leave few to choose from. O((n + m + borders of all parts) log n).
 * @param most weight that each part may have
 * @returns the part of every vertex; undefined where no segments of the order keep to `most`, or the plan is too large
 */
export function cheapestSegments(dag: WeightedDag, order: Int32Array, most: Float64Array): Int32Array | undefined {
  const { n } = dag;
  const parts = most.length;
  const before = new Float64Array(n + 1);
  for (let at = 0; at < n; at++) before[at + 1] = before[at]! + dag.weight[order[at]!]!;
  const bands = bandsOf(before, most);
  if (bands.some(({ first, last }) => first > last)) return undefined;
  if (bands.reduce((sum, { first, last }) => sum + last - first + 1, 0) > mostCells) return undefined;
  const since = readSince(dag, order);
  let least = new Float64Array(1);
  const cameFrom: Int32Array[] = [];
  for (let part = 0; part < parts; part++) {
    const [from, to] = [bands[part]!, bands[part + 1]!];
    const limit = most[part]! * (1 + 1e-9);
    const open = new RangeLeast(least);
    const next = new Float64Array(to.last - to.first + 1).fill(Number.POSITIVE_INFINITY);
    const came = new Int32Array(next.length);
    let begin = from.first;
    for (let end = from.first; end <= to.last; end++) {
      // The vertex before this border joins all segments that begin at or before it, and costs those that have not read its inputs yet.
      const read = end - 1;
      if (read >= from.first) {
        const v = order[read]!;
        for (let edge = dag.inPtr[v]!; edge < dag.inPtr[v + 1]!; edge++) {
          const begun = Math.max(0, since[edge]! + 1 - from.first);
          open.raise(begun, Math.min(read, from.last) - from.first, dag.cost[dag.in[edge]!]!);
        }
      }
      if (end < to.first) continue;
      while (begin <= from.last && before[end]! - before[begin]! > limit) begin++;
      const { at, value } = open.least(begin - from.first, Math.min(end, from.last) - from.first);
      next[end - to.first] = value;
      came[end - to.first] = at + from.first;
    }
    cameFrom.push(came);
    least = next;
  }
  if (least[0] === Number.POSITIVE_INFINITY) return undefined;
  const partOf = new Int32Array(n);
  let end = n;
  for (let part = parts - 1; part >= 0; part--) {
    const begin = cameFrom[part]![end - bands[part + 1]!.first]!;
    for (let at = begin; at < end; at++) partOf[order[at]!] = part;
    end = begin;
  }
  return partOf;
}

/** For the border after each number of parts: the first and the last place at which the parts on both sides can have what is on theirs. */
function bandsOf(before: Float64Array, most: Float64Array): { readonly first: number; readonly last: number }[] {
  const n = before.length - 1;
  const room = new Float64Array(most.length + 1);
  most.forEach((own, part) => {
    room[part + 1] = room[part]! + own;
  });
  const [total, whole] = [before[n]!, room.at(-1)!];
  const spare = 1e-9 * (total + 1);
  return Array.from(room, (own, parts) => {
    if (parts === 0) return { first: 0, last: 0 };
    if (parts === most.length) return { first: n, last: total <= whole + spare ? n : -1 };
    let first = 0;
    while (first < n && total - before[first]! > whole - own + spare) first++;
    let last = n;
    while (last > 0 && before[last]! > own + spare) last--;
    return { first, last };
  });
}

/** For each incoming edge, by the order: where the last reader of the same output before this one is, or the output itself where this one is the first. */
function readSince(dag: WeightedDag, order: Int32Array): Int32Array {
  const last = new Int32Array(dag.n);
  const since = new Int32Array(dag.in.length);
  for (let at = 0; at < dag.n; at++) {
    const v = order[at]!;
    last[v] = at;
    for (let edge = dag.inPtr[v]!; edge < dag.inPtr[v + 1]!; edge++) {
      const u = dag.in[edge]!;
      since[edge] = last[u]!;
      last[u] = at;
    }
  }
  return since;
}
