import { type PlanView, taskLevels } from "@planloom/plan";
import { canonicalOrder } from "../canonical-order.ts";
import { fromLabels, type Partition } from "../partition.ts";
import { seededRandom } from "../random.ts";
import { type CoarserDag, coarsen } from "./coarsen.ts";
import { packComponents } from "./pack-components.ts";
import { connectivity, refine } from "./refine.ts";
import { depthFirstOrder, frontierOrder, levelOrder, segments } from "./segments.ts";
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
}

/**
 * Balanced parts of little connectivity (cost times foreign parts that read it, summed over tasks) with an acyclic
 * quotient: multilevel partitioning with an acyclic coarsening (dagP, Herrmann et al., SISC 2019), segments of several
 * topological orders of the coarsest plan, and order-keeping local search on every level. O((n + m) parts log n).
 * The balance is kept wherever single tasks are light enough.
 */
export function acyclicPartition(view: PlanView, options: AcyclicPartitionOptions): Partition {
  const { parts, imbalance = 0.03, weight = view.work, cost, seed = 0 } = options;
  if (view.n === 0 || parts <= 1) return fromLabels(new Int32Array(view.n));
  const { dag, place } = ofView(view, weight, cost ?? new Float64Array(view.n).fill(1));
  let best: Int32Array | undefined;
  let least = Number.POSITIVE_INFINITY;
  const random = seededRandom(seed);
  const most = (sum(weight) / parts) * (1 + imbalance);
  for (let attempt = 0; attempt < 4; attempt++) {
    const part = multilevel(dag, parts, most, random);
    const own = connectivity(dag, part, parts) + 1e6 * excess(dag, part, parts, most);
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

function multilevel(finest: WeightedDag, parts: number, most: number, random: () => number): Int32Array {
  const steps: { finer: WeightedDag; step: CoarserDag }[] = [];
  let dag = finest;
  while (dag.n > 40 * parts) {
    const step = coarsen(dag, most / 4, random);
    if (step.dag.n > 0.95 * dag.n) break;
    steps.push({ finer: dag, step });
    dag = step.dag;
  }
  let part = initial(dag, parts, most, random);
  for (const { finer, step } of steps.reverse()) {
    part = step.place.map((at) => part[at]!);
    refine(finer, part, parts, most, 8, random);
  }
  return part;
}

/** The best of several orders cut into segments and of whole components packed, each refined. */
function initial(dag: WeightedDag, parts: number, most: number, random: () => number): Int32Array {
  const attempts = [packComponents(dag, parts), segments(dag, levelOrder(dag), parts)];
  for (let attempt = 0; attempt < 4; attempt++) {
    attempts.push(segments(dag, depthFirstOrder(dag, random), parts));
    attempts.push(segments(dag, frontierOrder(dag, random), parts));
  }
  let best = attempts[0]!;
  let least = Number.POSITIVE_INFINITY;
  for (const part of attempts) {
    refine(dag, part, parts, most, 12, random);
    const own = connectivity(dag, part, parts) + 1e6 * excess(dag, part, parts, most);
    if (own >= least) continue;
    least = own;
    best = part;
  }
  return best;
}

/** By how much the heaviest part is over `most`, relative to it. */
function excess(dag: WeightedDag, part: Int32Array, parts: number, most: number): number {
  const weight = new Float64Array(parts);
  for (let v = 0; v < dag.n; v++) weight[part[v]!]! += dag.weight[v]!;
  return Math.max(0, Math.max(...weight) / most - 1);
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
