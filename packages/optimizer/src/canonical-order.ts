import type { PlanView } from "@planloom/plan";

const cache = new WeakMap<PlanView, Int32Array>();
const sequences = new WeakMap<PlanView, Int32Array>();
const topologies = new WeakMap<PlanView, Int32Array>();

/** Beyond this many tasks ties fall back to plan order: sorting the colours would cost more than the simulation. */
const LARGEST = 32_768;

/**
 * A position for every task that depends on the plan's structure and estimates, not on ids or on the order in which the
 * tasks are listed; strategies and the simulator break ties by it, so renaming or shuffling tasks leaves the makespan
 * as it is. Plan order decides only between tasks that look alike from everywhere.
 *
 * Colour refinement (Weisfeiler and Leman, 1968) with one sweep down, up and down again, then a breadth-first walk of
 * each component from its smallest colour, so that a choice among symmetric tasks is made once and its neighbours
 * follow. This is not a canonical labelling: graphs that refinement cannot distinguish keep plan order.
 * O((n + m) log n); kept per view. Plans of more than 32,768 tasks keep plan order altogether.
 */
export function canonicalOrder(view: PlanView): Int32Array {
  const known = cache.get(view);
  if (known !== undefined) return known;
  const position = view.n > LARGEST ? planOrder(view.n) : walk(view, refine(view));
  cache.set(view, position);
  return position;
}

function planOrder(n: number): Int32Array {
  const position = new Int32Array(n);
  for (let v = 0; v < n; v++) position[v] = v;
  return position;
}

/** The tasks in `canonicalOrder`; `undefined` where that is plan order by decree. Kept per view. */
export function canonicalSequence(view: PlanView): Int32Array | undefined {
  if (view.n > LARGEST) return undefined;
  let sequence = sequences.get(view);
  if (sequence === undefined) {
    sequence = new Int32Array(view.n);
    const position = canonicalOrder(view);
    for (let v = 0; v < view.n; v++) sequence[position[v]!] = v;
    sequences.set(view, sequence);
  }
  return sequence;
}

/** A topological order that goes level by level, within a level in `canonicalOrder`; as the view has it where that is plan order by decree. */
export function canonicalTopology(view: PlanView): Int32Array {
  if (view.n > LARGEST) return view.topo;
  let order = topologies.get(view);
  if (order === undefined) {
    order = view.topo.slice();
    const position = canonicalOrder(view);
    for (let level = 0; level + 1 < view.levelPtr.length; level++) {
      order
        .subarray(view.levelPtr[level], view.levelPtr[level + 1])
        .sort((left, right) => position[left]! - position[right]!);
    }
    topologies.set(view, order);
  }
  return order;
}

function refine(view: PlanView): Uint32Array {
  const { n, topo } = view;
  const colour = colourOf(view);
  const down = () => {
    for (let at = 0; at < n; at++) colour[topo[at]!] = absorb(colour, topo[at]!, view.inPtr, view.in, 0x9e3779b9);
  };
  const up = () => {
    for (let at = n - 1; at >= 0; at--)
      colour[topo[at]!] = absorb(colour, topo[at]!, view.outPtr, view.out, 0x85ebca6b);
  };
  down();
  up();
  down();
  return colour;
}

/** A colour for every task by its own estimates, and by which others are of its class: the number of a class says nothing. */
function colourOf({ n, work, tokens, outBytes, outTokens, failProb, affinity }: PlanView): Uint32Array {
  const colour = new Uint32Array(n);
  const words = new Uint32Array(2);
  const bits = new Float64Array(words.buffer);
  for (const column of [work, tokens, outBytes, outTokens, failProb]) {
    if (column !== work && column.every((value) => value === 0)) continue;
    for (let v = 0; v < n; v++) {
      bits[0] = column[v]!;
      const own = mix(words[0]! ^ mix(words[1]!));
      colour[v] = column === work ? own : mix(Math.imul(colour[v]!, 31) ^ own);
    }
  }
  if (affinity.every((own) => own === affinity[0])) return colour;
  const members = new Map<number, number>();
  for (let v = 0; v < n; v++) members.set(affinity[v]!, ((members.get(affinity[v]!) ?? 0) + mix(colour[v]!)) | 0);
  return colour.map((own, v) => mix(Math.imul(own, 31) ^ mix(members.get(affinity[v]!)!)));
}

/** The colour of `v` together with the multiset of its neighbours' colours. */
function absorb(colour: Uint32Array, v: number, pointer: Int32Array, neighbours: Int32Array, salt: number): number {
  let sum = 0;
  for (let edge = pointer[v]!; edge < pointer[v + 1]!; edge++) sum = (sum + mix(colour[neighbours[edge]!]! ^ salt)) | 0;
  return mix(Math.imul(colour[v]!, 31) + mix(sum ^ (pointer[v + 1]! - pointer[v]!)));
}

/** The finaliser of MurmurHash3: every input bit reaches every output bit. */
function mix(value: number): number {
  let hash = value | 0;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function walk(view: PlanView, colour: Uint32Array): Int32Array {
  const { n } = view;
  // Colour and plan index in one number, sorted without a comparator; beyond 2^21 tasks the colour loses low bits,
  // so that the product stays an exact integer.
  const spare = Math.max(0, Math.ceil(Math.log2(n)) - 21);
  const keys = new Float64Array(n);
  for (let v = 0; v < n; v++) keys[v] = (colour[v]! >>> spare) * n + v;
  keys.sort();
  const rank = new Int32Array(n);
  const byRank = new Int32Array(n);
  for (let at = 0; at < n; at++) {
    const v = keys[at]! % n;
    rank[v] = at;
    byRank[at] = v;
  }
  const position = new Int32Array(n).fill(-1);
  const queue = new Int32Array(n);
  let written = 0;
  for (const start of byRank) {
    if (position[start] !== -1) continue;
    let read = written;
    position[start] = written;
    queue[written++] = start;
    while (read < written) {
      const v = queue[read++]!;
      const from = written;
      const find = (neighbour: number) => {
        if (position[neighbour] !== -1) return;
        position[neighbour] = 0;
        queue[written++] = rank[neighbour]!;
      };
      for (let edge = view.inPtr[v]!; edge < view.inPtr[v + 1]!; edge++) find(view.in[edge]!);
      for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) find(view.out[edge]!);
      if (written - from > 1) queue.subarray(from, written).sort();
      for (let at = from; at < written; at++) {
        const neighbour = byRank[queue[at]!]!;
        position[neighbour] = at;
        queue[at] = neighbour;
      }
    }
  }
  return position;
}
