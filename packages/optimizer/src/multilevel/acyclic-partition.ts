import { type PlanView, taskLevels } from "@planloom/plan";
import { canonicalOrder } from "../canonical-order.ts";
import { fromLabels, type Partition } from "../partition.ts";
import { seededRandom } from "../random.ts";
import { climb } from "./climb.ts";
import { type CoarserDag, coarsen } from "./coarsen.ts";
import { packComponents } from "./pack-components.ts";
import { connectivity, refine } from "./refine.ts";
import { segmented } from "./segmented.ts";
import { demandOrder, depthFirstOrder, frontierOrder, levelOrder, regionOrder, segments } from "./segments.ts";
import { type WeightedDag, weightedDag } from "./weighted-dag.ts";

export interface AcyclicPartitionOptions {
  /** How many parts, at most. */
  readonly parts: number;
  /** How much heavier than the mean a part may be. @default 0.03 */
  readonly imbalance?: number;
  /** What is balanced, by task. @default work */
  readonly weight?: Float64Array;
  /** What it costs that one foreign part reads a task's output. @default 1 each */
  readonly cost?: Float64Array;
  /** @default 0 */
  readonly seed?: number;
  /** Tries in all, of which the best is kept; every one costs the same. @default 4 */
  readonly attempts?: number;
}

/**
 * Balanced parts of little connectivity (cost times foreign parts that read it, summed over tasks) with an acyclic
 * quotient. Multilevel partitioning with an acyclic coarsening (dagP, Herrmann et al., SISC 2019), from segments of several
 * topological orders of the coarsest plan, with order-keeping local search on every level (Fiduccia and Mattheyses 1982); beside
 * it the cheapest segments of orders of the whole plan (`segmented`). Both are done once into all parts and in each step of a
 * recursive bisection, and the best is refined again in coarser plans that keep its parts (`cycled`). O(attempts (n + m) parts log n).
 * The balance is kept wherever single tasks are light enough.
 */
export function acyclicPartition(view: PlanView, options: AcyclicPartitionOptions): Partition {
  const { parts, imbalance = 0.03, weight = view.work, cost, seed = 0, attempts = 4 } = options;
  if (view.n === 0 || parts <= 1) return fromLabels(new Int32Array(view.n));
  const { dag, place } = ofView(view, weight, cost ?? new Float64Array(view.n).fill(1));
  let best: Int32Array | undefined;
  let least = Number.POSITIVE_INFINITY;
  const random = seededRandom(seed);
  const mean = sum(weight) / parts;
  const most = new Float64Array(parts).fill(mean * (1 + imbalance));
  for (let attempt = 0; attempt < attempts && least > 0; attempt++) {
    const halved = bisected(dag, parts, mean, imbalance, random);
    polish(dag, halved, most, random);
    const part = cycled(dag, cheapest(dag, most, [halved, ...wholes(dag, most, random)]), most, random);
    const own = costOf(dag, part, most);
    if (own >= least) continue;
    least = own;
    best = part;
  }
  return fromLabels(squeezed(place.map((at) => best![at]!)));
}

function ofView(view: PlanView, weight: Float64Array, cost: Float64Array): { dag: WeightedDag; place: Int32Array } {
  const level = taskLevels(view);
  const tie = canonicalOrder(view);
  const order = Int32Array.from(view.topo).sort(
    (left, right) => level[left]! - level[right]! || tie[left]! - tie[right]!,
  );
  const place = new Int32Array(view.n);
  order.forEach((v, at) => {
    place[v] = at;
  });
  const from = new Int32Array(view.out.length);
  const to = new Int32Array(view.out.length);
  let written = 0;
  for (let v = 0; v < view.n; v++) {
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      from[written] = place[v]!;
      to[written++] = place[view.out[edge]!]!;
    }
  }
  const ordered = (values: Float64Array) => Float64Array.from(order, (v) => values[v]!);
  return { dag: weightedDag(view.n, from, to, ordered(weight), ordered(cost)), place };
}

/** @param most weight that each part may have; their number is that of the parts, and their proportions those wanted. */
function multilevel(finest: WeightedDag, most: Float64Array, random: () => number): Int32Array {
  return throughLevels(finest, most, random, (coarsest) => initial(coarsest, most, random));
}

/** How often parts are refined once more, in other groups of their vertices each time. More of them save little. */
const cycles = 8;

/** The parts refined in coarser plans whose vertices are groups within one part, where a move takes a whole group: single vertices may each cost something to move that the group does not. */
function cycled(dag: WeightedDag, first: Int32Array, most: Float64Array, random: () => number): Int32Array {
  let best = first;
  for (let cycle = 0; cycle < cycles && costOf(dag, best, most) > 0; cycle++) {
    const part = throughLevels(
      dag,
      most,
      random,
      (coarsest, grouped) => {
        const own = grouped!;
        polish(coarsest, own, most, random);
        return own;
      },
      best,
    );
    best = cheapest(dag, most, [best, part]);
  }
  return best;
}

/** Divides the plan where it is coarsest, and refines that in each finer one. @param within parts that every coarser plan keeps whole */
function throughLevels(
  finest: WeightedDag,
  most: Float64Array,
  random: () => number,
  divide: (coarsest: WeightedDag, within: Int32Array | undefined) => Int32Array,
  within?: Int32Array,
): Int32Array {
  const steps: { finer: WeightedDag; step: CoarserDag }[] = [];
  let dag = finest;
  let kept = within;
  while (dag.n > 40 * most.length) {
    const step = coarsen(dag, Math.min(...most) / 4, random, kept);
    if (step.dag.n > 0.95 * dag.n) break;
    steps.push({ finer: dag, step });
    if (kept !== undefined) kept = grouped(kept, step);
    dag = step.dag;
  }
  let part = divide(dag, kept?.slice());
  for (const { finer, step } of steps.reverse()) {
    part = step.place.map((at) => part[at]!);
    polish(finer, part, most, random);
  }
  return part;
}

/** The part of each group, all of whose vertices are in one. */
function grouped(part: Int32Array, { dag, place }: CoarserDag): Int32Array {
  const own = new Int32Array(dag.n);
  place.forEach((at, v) => {
    own[at] = part[v]!;
  });
  return own;
}

/** Divided into all parts at once, by each way there is. */
function wholes(dag: WeightedDag, most: Float64Array, random: () => number): Int32Array[] {
  const cut = segmented(dag, most, 2, random);
  for (const part of cut) polish(dag, part, most, random);
  return [multilevel(dag, most, random), ...cut];
}

/** Connectivity, and so much for what is too heavy that balance goes first. */
function costOf(dag: WeightedDag, part: Int32Array, most: Float64Array): number {
  return connectivity(dag, part, most.length) + 1e6 * excess(dag, part, most);
}

function cheapest(dag: WeightedDag, most: Float64Array, found: readonly Int32Array[]): Int32Array {
  let best = found[0]!;
  let least = Number.POSITIVE_INFINITY;
  for (const part of found) {
    const own = costOf(dag, part, most);
    if (own >= least) continue;
    least = own;
    best = part;
  }
  return best;
}

function polish(dag: WeightedDag, part: Int32Array, most: Float64Array, random: () => number): void {
  refine(dag, part, most, 8, random);
  climb(dag, part, most, 4);
}

/** Below this many vertices orders differ little. */
const SMALL = 100;

/** The best of several orders cut into segments and of whole components packed, each refined. */
function initial(dag: WeightedDag, most: Float64Array, random: () => number): Int32Array {
  const attempts = [packComponents(dag, most.length), segments(dag, levelOrder(dag), most)];
  const rounds = dag.n > SMALL ? 4 : 2;
  for (let round = 0; round < rounds; round++) {
    for (const order of [depthFirstOrder, frontierOrder, demandOrder, regionOrder])
      attempts.push(segments(dag, order(dag, random), most));
  }
  for (const part of attempts) polish(dag, part, most, random);
  return cheapest(dag, most, attempts);
}

/**
 * Recursive bisection: the first half of the parts against the second, then each by itself. Half of the imbalance that is
 * allowed is kept for the halves of a half.
 */
function bisected(dag: WeightedDag, parts: number, mean: number, imbalance: number, random: () => number): Int32Array {
  if (parts === 1) return new Int32Array(dag.n);
  const first = parts >> 1;
  const slack = 1 + (parts > 2 ? imbalance / 2 : imbalance);
  const most = Float64Array.of(first * mean * slack, (parts - first) * mean * slack);
  const side = cheapest(dag, most, wholes(dag, most, random));
  const part = new Int32Array(dag.n);
  for (const half of [0, 1]) {
    const { dag: own, vertex } = sideOf(dag, side, half);
    const inner = bisected(own, half === 0 ? first : parts - first, mean, imbalance, random);
    vertex.forEach((v, at) => {
      if (side[v] === half) part[v] = inner[at]! + (half === 0 ? 0 : first);
    });
  }
  return part;
}

/**
 * The vertices of one side and, without weight, those of the first side that the second reads: it costs as well when their
 * readers are divided among several parts.
 */
function sideOf(dag: WeightedDag, side: Int32Array, half: number): { dag: WeightedDag; vertex: number[] } {
  const vertex: number[] = [];
  const number = new Int32Array(dag.n).fill(-1);
  const from: number[] = [];
  const to: number[] = [];
  for (let v = 0; v < dag.n; v++) {
    let present = side[v] === half;
    for (let edge = dag.outPtr[v]!; edge < dag.outPtr[v + 1]!; edge++) present ||= side[dag.out[edge]!] === half;
    if (!present) continue;
    number[v] = vertex.length;
    vertex.push(v);
  }
  for (const v of vertex) {
    for (let edge = dag.outPtr[v]!; edge < dag.outPtr[v + 1]!; edge++) {
      const next = dag.out[edge]!;
      if (side[next] !== half) continue;
      from.push(number[v]!);
      to.push(number[next]!);
    }
  }
  const weight = Float64Array.from(vertex, (v) => (side[v] === half ? dag.weight[v]! : 0));
  const cost = Float64Array.from(vertex, (v) => dag.cost[v]!);
  return { dag: weightedDag(vertex.length, Int32Array.from(from), Int32Array.from(to), weight, cost), vertex };
}

/** By how much some part is over what it may have, relative to it. */
function excess(dag: WeightedDag, part: Int32Array, most: Float64Array): number {
  const weight = new Float64Array(most.length);
  for (let v = 0; v < dag.n; v++) weight[part[v]!]! += dag.weight[v]!;
  return weight.reduce((worst, own, p) => Math.max(worst, own / most[p]! - 1), 0);
}

function sum(values: Float64Array): number {
  let total = 0;
  for (const value of values) total += value;
  return total;
}

/** `fromLabels` wants labels below the number of tasks, and there may be more parts than tasks. */
function squeezed(labels: Int32Array): Int32Array {
  const number = new Map<number, number>();
  return labels.map((label) => {
    const known = number.get(label) ?? number.size;
    number.set(label, known);
    return known;
  });
}
