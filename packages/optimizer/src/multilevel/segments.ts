import { PriorityHeap } from "../priority-heap.ts";
import type { Random } from "../random.ts";
import type { WeightedDag } from "./weighted-dag.ts";

/**
 * Cuts one topological order into segments of weights in proportion to `shares`. O(n + parts).
 * @returns the part of every vertex.
 */
export function segments(dag: WeightedDag, order: Int32Array, shares: Float64Array): Int32Array {
  let total = 0;
  for (const weight of dag.weight) total += weight;
  const whole = shares.reduce((sum, own) => sum + own, 0);
  const part = new Int32Array(dag.n);
  let before = 0;
  let at = 0;
  let end = (shares[0]! / whole) * total;
  for (const v of order) {
    const middle = before + dag.weight[v]! / 2;
    while (middle >= end && at + 1 < shares.length) end += (shares[++at]! / whole) * total;
    part[v] = at;
    before += dag.weight[v]!;
  }
  return part;
}

/** By number: by level, as `PlanView.topo` is. */
export function levelOrder(dag: WeightedDag): Int32Array {
  return Int32Array.from({ length: dag.n }, (_, v) => v);
}

/** A topological order that continues with the vertex that was freed last, starting from random sources. O(n + m). */
export function depthFirstOrder(dag: WeightedDag, random: Random): Int32Array {
  const waits = Int32Array.from({ length: dag.n }, (_, v) => dag.inPtr[v + 1]! - dag.inPtr[v]!);
  const stack: number[] = [];
  for (let v = 0; v < dag.n; v++) if (waits[v] === 0) stack.push(v);
  shuffle(stack, random);
  const order = new Int32Array(dag.n);
  for (let at = 0; at < dag.n; at++) {
    const v = stack.pop()!;
    order[at] = v;
    for (let edge = dag.outPtr[v]!; edge < dag.outPtr[v + 1]!; edge++) {
      if (--waits[dag.out[edge]!]! === 0) stack.push(dag.out[edge]!);
    }
  }
  return order;
}

/**
 * A topological order that keeps few outputs waiting to be read: next is the free vertex that closes most cost and opens
 * least, those whose inputs were read last before others. O((n + m) log n).
 */
export function frontierOrder(dag: WeightedDag, random: Random): Int32Array {
  const { n } = dag;
  const waits = Int32Array.from({ length: n }, (_, v) => dag.inPtr[v + 1]! - dag.inPtr[v]!);
  const unread = Int32Array.from({ length: n }, (_, v) => dag.outPtr[v + 1]! - dag.outPtr[v]!);
  const gain = new Float64Array(n);
  const touched = new Int32Array(n);
  const noise = Float64Array.from({ length: n }, () => random());
  const before = (left: number, right: number) =>
    gain[left]! > gain[right]! ||
    (gain[left] === gain[right] &&
      (touched[left]! > touched[right]! || (touched[left] === touched[right] && noise[left]! < noise[right]!)));
  const free = new PriorityHeap(before);
  const measure = (v: number) => {
    let sum = dag.outPtr[v + 1]! > dag.outPtr[v]! ? -dag.cost[v]! : 0;
    for (let edge = dag.inPtr[v]!; edge < dag.inPtr[v + 1]!; edge++) {
      const u = dag.in[edge]!;
      if (unread[u] === 1) sum += dag.cost[u]!;
    }
    gain[v] = sum;
  };
  for (let v = 0; v < n; v++) {
    if (waits[v] !== 0) continue;
    measure(v);
    free.push(v);
  }
  const order = new Int32Array(n);
  for (let at = 0; at < n; at++) {
    const v = free.pop()!;
    order[at] = v;
    for (let edge = dag.inPtr[v]!; edge < dag.inPtr[v + 1]!; edge++) unread[dag.in[edge]!]!--;
    for (let edge = dag.outPtr[v]!; edge < dag.outPtr[v + 1]!; edge++) {
      const next = dag.out[edge]!;
      touched[next] = at;
      if (--waits[next]! > 0) continue;
      measure(next);
      free.push(next);
    }
  }
  return order;
}

/**
 * A topological order that is built from its end: each sink in turn, preceded by all it needs that is not in the order yet, depth
 * first. What one consumer gathers is kept together, where orders from the sources mix everything that begins alike. O(n + m).
 */
export function demandOrder(dag: WeightedDag, random: Random): Int32Array {
  const { n, inPtr } = dag;
  const sinks: number[] = [];
  for (let v = 0; v < n; v++) if (dag.outPtr[v] === dag.outPtr[v + 1]) sinks.push(v);
  shuffle(sinks, random);
  const order = new Int32Array(n);
  // Each vertex asks for its dependencies in a round from one of them on.
  const asked = new Int32Array(n);
  const seen = new Uint8Array(n);
  const first = Int32Array.from({ length: n }, (_, v) => Math.floor(random() * (inPtr[v + 1]! - inPtr[v]!)));
  const path: number[] = [];
  let written = 0;
  for (const sink of sinks) {
    path.push(sink);
    seen[sink] = 1;
    while (path.length > 0) {
      const v = path.at(-1)!;
      const degree = inPtr[v + 1]! - inPtr[v]!;
      if (asked[v] === degree) {
        order[written++] = v;
        path.pop();
        continue;
      }
      const u = dag.in[inPtr[v]! + ((first[v]! + asked[v]!++) % degree)]!;
      if (seen[u] === 1) continue;
      seen[u] = 1;
      path.push(u);
    }
  }
  return order;
}

/** Outputs of more readers, and vertices that read more, are near to everything. */
const mostNear = 32;

/**
 * A topological order that grows one region: next is the free vertex that has most in common with what is in the order, by inputs that only few others read and by
 * readers that wait for little else; of equals the one whose inputs are newest. What reads something goes before what begins. Where most vertices begin alike, as the pictures of a mosaic do, it takes
 * those side by side together, which no order by dependencies alone does. O((n + m) log n).
 */
export function regionOrder(dag: WeightedDag, random: Random): Int32Array {
  const { n, inPtr, outPtr } = dag;
  const waits = Int32Array.from({ length: n }, (_, v) => inPtr[v + 1]! - inPtr[v]!);
  const common = new Float64Array(n);
  const newest = new Int32Array(n).fill(-1);
  const noise = Float64Array.from({ length: n }, () => random());
  const placed = new Uint8Array(n);
  // A vertex that has more in common than before is entered once more; its older entry is passed over later.
  const vertex: number[] = [];
  const value: number[] = [];
  const free = new PriorityHeap((one, other) => {
    const [v, w] = [vertex[one]!, vertex[other]!];
    const [begins, begun] = [inPtr[v] === inPtr[v + 1], inPtr[w] === inPtr[w + 1]];
    if (begins !== begun) return begun;
    if (value[one] !== value[other]) return value[one]! > value[other]!;
    if (newest[v] !== newest[w]) return newest[v]! > newest[w]!;
    return noise[v]! < noise[w]!;
  });
  const enter = (v: number) => {
    vertex.push(v);
    value.push(common[v]!);
    free.push(vertex.length - 1);
  };
  for (let v = 0; v < n; v++) if (waits[v] === 0) enter(v);
  const order = new Int32Array(n);
  let written = 0;
  while (written < n) {
    const v = vertex[free.pop()!]!;
    if (placed[v] === 1) continue;
    placed[v] = 1;
    order[written] = v;
    const readers = outPtr[v + 1]! - outPtr[v]!;
    for (let edge = outPtr[v]!; edge < outPtr[v + 1]!; edge++) {
      const next = dag.out[edge]!;
      newest[next] = written;
      if (readers <= mostNear) common[next]! += dag.cost[v]! / readers;
      if (--waits[next]! === 0) enter(next);
      const inputs = inPtr[next + 1]! - inPtr[next]!;
      if (inputs > mostNear) continue;
      for (let beside = inPtr[next]!; beside < inPtr[next + 1]!; beside++) {
        const u = dag.in[beside]!;
        if (placed[u] === 1) continue;
        common[u]! += 1 / inputs;
        if (waits[u] === 0) enter(u);
      }
    }
    written++;
  }
  return order;
}

function shuffle(list: number[], random: Random): void {
  for (let at = list.length - 1; at > 0; at--) {
    const other = Math.floor(random() * (at + 1));
    [list[at], list[other]] = [list[other]!, list[at]!];
  }
}
