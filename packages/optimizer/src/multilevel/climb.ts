import { PriorityHeap } from "../priority-heap.ts";
import { costAt } from "./refine.ts";
import type { WeightedDag } from "./weighted-dag.ts";

/** The least number of moves after the best state reached at which a pass may end. */
const PATIENCE = 150;

/**
 * Local search that goes through worse states (Fiduccia and Mattheyses 1982) on an ordered partition, see `refine`: the move that
 * saves most is made even when it costs something, no vertex moves twice in a pass, and what came after the best state is
 * taken back. Gains are brought up to date where they are looked at. O(passes (n + m) parts log n).
 * @param most weight that each part may have.
 * @returns connectivity saved.
 */
export function climb(dag: WeightedDag, part: Int32Array, most: Float64Array, passes: number): number {
  const { n, inPtr, outPtr, out } = dag;
  const parts = most.length;
  const weight = new Float64Array(parts);
  const readers = new Int32Array(n * parts);
  for (let v = 0; v < n; v++) {
    weight[part[v]!]! += dag.weight[v]!;
    for (let edge = outPtr[v]!; edge < outPtr[v + 1]!; edge++) readers[v * parts + part[out[edge]!]!]!++;
  }
  const gain = new Float64Array(n);
  const target = new Int32Array(n);
  const locked = new Uint8Array(n);
  const queued = new Uint8Array(n);
  const queue = new PriorityHeap(
    (left, right) => gain[left]! > gain[right]! || (gain[left] === gain[right] && left < right),
  );

  /** The best part for v, and what that saves; -Infinity where it cannot move. */
  const look = (v: number): number => {
    const own = part[v]!;
    let low = 0;
    let high = parts - 1;
    for (let edge = inPtr[v]!; edge < inPtr[v + 1]!; edge++) low = Math.max(low, part[dag.in[edge]!]!);
    for (let edge = outPtr[v]!; edge < outPtr[v + 1]!; edge++) high = Math.min(high, part[out[edge]!]!);
    let best = Number.NEGATIVE_INFINITY;
    if (low === high) return best;
    const here = costAt(dag, part, readers, parts, v, own);
    let lightest = Number.POSITIVE_INFINITY;
    for (let other = low; other <= high; other++) {
      if (other === own || weight[other]! + dag.weight[v]! > most[other]!) continue;
      const saving = here - costAt(dag, part, readers, parts, v, other);
      if (saving < best || (saving === best && weight[other]! >= lightest)) continue;
      best = saving;
      lightest = weight[other]!;
      target[v] = other;
    }
    return best;
  };
  const move = (v: number, to: number): void => {
    const from = part[v]!;
    part[v] = to;
    weight[from]! -= dag.weight[v]!;
    weight[to]! += dag.weight[v]!;
    for (let edge = inPtr[v]!; edge < inPtr[v + 1]!; edge++) {
      readers[dag.in[edge]! * parts + from]!--;
      readers[dag.in[edge]! * parts + to]!++;
    }
  };
  const offer = (v: number): void => {
    if (locked[v] === 1 || queued[v] === 1) return;
    const own = look(v);
    if (own === Number.NEGATIVE_INFINITY) return;
    gain[v] = own;
    queued[v] = 1;
    queue.push(v);
  };

  let saved = 0;
  const path: { v: number; from: number }[] = [];
  for (let pass = 0; pass < passes; pass++) {
    locked.fill(0);
    path.length = 0;
    let sum = 0;
    let best = 0;
    let kept = 0;
    for (let v = 0; v < n; v++) offer(v);
    for (let v = queue.pop(); v !== undefined; v = queue.pop()) {
      queued[v] = 0;
      if (path.length - kept > PATIENCE + n / 20) continue;
      const promised = gain[v]!;
      const own = look(v);
      if (own === Number.NEGATIVE_INFINITY) continue;
      if (own < promised) {
        gain[v] = own;
        queued[v] = 1;
        queue.push(v);
        continue;
      }
      path.push({ v, from: part[v]! });
      move(v, target[v]!);
      locked[v] = 1;
      sum += own;
      if (sum > best + 1e-9) {
        best = sum;
        kept = path.length;
      }
      for (let edge = inPtr[v]!; edge < inPtr[v + 1]!; edge++) offer(dag.in[edge]!);
      for (let edge = outPtr[v]!; edge < outPtr[v + 1]!; edge++) offer(out[edge]!);
    }
    while (path.length > kept) {
      const { v, from } = path.pop()!;
      move(v, from);
    }
    saved += best;
    if (best <= 1e-9) break;
  }
  return saved;
}
