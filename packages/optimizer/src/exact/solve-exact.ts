import type { PlanView } from "@planloom/plan";
import { type ExecutionEnvironment, isPlain } from "../environment.ts";
import { fewerDispatches } from "../fewer-dispatches.ts";
import { lowerBound } from "../lower-bound.ts";
import { fromLabels, type Partition } from "../partition.ts";
import { repair } from "../repair/repair.ts";
import { improve } from "../search/improve.ts";
import { makespan } from "../simulate.ts";
import { packedBound } from "./packed-bound.ts";
import { type PartLimits, partLimits } from "./part-limits.ts";
import { componentsOf, induced, SMALL_TASKS, type SmallGraph, smallGraph } from "./small-graph.ts";
import { solveLimited } from "./solve-limited.ts";
import { solveUnlimited } from "./solve-unlimited.ts";

export interface ExactSolution {
  readonly partition: Partition;
  /** Of `partition` by the simulator. */
  readonly makespanMs: number;
  /** No valid partition, dispatched in any order, ends earlier. */
  readonly boundMs: number;
  /** The two are equal, up to the rounding of sums. */
  readonly proved: boolean;
}

export interface ExactOptions {
  /** States to look at before giving up on the proof. @default 120_000 */
  readonly nodes?: number;
  /** `Date.now()` at which to stop. @default Infinity */
  readonly until?: number;
  /** Changes to try at random on the best known, so that the proof has less to rule out. @default 2000 */
  readonly steps?: number;
  /** Further valid partitions, asked for where those of `start` do not meet the bounds. @default none */
  readonly more?: () => readonly Partition[];
}

/** Whether `solveExact` can do anything: atomic dispatch on equal executors, few enough tasks. */
export function isSolvable(view: PlanView, environment: ExecutionEnvironment): boolean {
  return view.n <= SMALL_TASKS && environment.semantics === "atomic" && isPlain(environment);
}

/**
 * The grouping of a small plan that ends first, with its proof, or the best found with the gap that is left. First the plan
 * is solved for unlimited executors, component by component: what is best there and fits on the given executors is best
 * here; otherwise its makespan is a bound for the search with executors.
 * @param start valid partitions to begin with; at least one.
 */
export function solveExact(
  view: PlanView,
  environment: ExecutionEnvironment,
  start: readonly Partition[],
  { nodes = 120_000, until = Number.POSITIVE_INFINITY, steps = 2000, more = () => [] }: ExactOptions = {},
): ExactSolution {
  const { overheadMs, executors } = environment;
  const graph = smallGraph(view);
  const limits = partLimits(view, environment, graph);
  let best = { partition: start[0]!, value: Number.POSITIVE_INFINITY };
  const offer = (partition: Partition) => {
    const value = makespan(view, environment, partition);
    if (value < best.value || (value === best.value && partition.count < best.partition.count))
      best = { partition, value };
  };
  for (const each of start) offer(each);
  let bound = lowerBound(view, environment);
  const done = () => best.value <= bound * (1 + ROUNDING);

  if (!done()) {
    const free = solveComponents(view, environment, graph, { nodes: nodes / 20, until });
    bound = Math.max(bound, free.bound);
    if (free.partition !== undefined) offer(free.partition);
  }
  if (!done() && executors < view.n) {
    // The search is through a handful of tasks before these are.
    if (view.n > HANDFUL) {
      const packed = packedBound(view, graph, executors, overheadMs, until);
      bound = Math.max(bound, packed.ms);
      for (const division of packed.divisions) divided(view, environment, graph, division).forEach(offer);
      for (const each of done() ? [] : more()) offer(each);
    }
    const { partition } = improve(view, environment, best.partition, { seed: 1, steps, until, boundMs: bound });
    offer(partition);
    if (!done()) {
      const { parts, bound: proved } = solveLimited(graph, executors, overheadMs, limits, {
        nodes,
        until,
        below: best.value,
      });
      bound = Math.max(bound, proved);
      if (parts !== undefined) offer(partitionOf(graph, parts));
    }
  }
  const partition = fewerDispatches(view, environment, best.partition);
  const value = makespan(view, environment, partition);
  const proved = value <= bound * (1 + ROUNDING);
  return { partition, makespanMs: value, boundMs: proved ? value : bound, proved };
}

const HANDFUL = 8;

/** Relative error up to which sums of the same numbers in another order may differ. */
const ROUNDING = 1e-9;

/** Each weakly connected component for itself: on unlimited executors they have nothing to do with one another. */
function solveComponents(
  view: PlanView,
  environment: ExecutionEnvironment,
  graph: SmallGraph,
  budget: { nodes: number; until: number },
): { partition: Partition | undefined; bound: number } {
  const labels = new Int32Array(view.n);
  let bound = 0;
  let complete = true;
  for (const set of componentsOf(graph)) {
    const part = induced(graph, set);
    const limits: PartLimits = partLimits(view, environment, part);
    const solution = solveUnlimited(part, environment.overheadMs, limits, budget);
    bound = Math.max(bound, solution.bound);
    complete &&= solution.label !== undefined;
    solution.label?.forEach((lowest, v) => {
      labels[part.task[v]!] = part.task[lowest]!;
    });
  }
  // Parts within components that keep the limits make a valid partition.
  return { partition: complete ? fromLabels(labels) : undefined, bound };
}

/** Groupings that hold the sets of a division, and the tasks left over as one part or one by one. */
function divided(
  view: PlanView,
  environment: ExecutionEnvironment,
  graph: SmallGraph,
  division: readonly number[],
): Partition[] {
  return [true, false].map((together) => {
    const part = new Int32Array(view.n);
    for (let v = 0; v < graph.n; v++) {
      const own = division.findIndex((set) => (set & (1 << v)) !== 0);
      part[graph.task[v]!] = own !== -1 ? own : division.length + (together ? 0 : v);
    }
    return repair(view, environment, fromLabels(part)).partition;
  });
}

function partitionOf(graph: SmallGraph, parts: readonly number[]): Partition {
  const part = new Int32Array(graph.n);
  parts.forEach((set, p) => {
    for (let v = 0; v < graph.n; v++) if ((set & (1 << v)) !== 0) part[graph.task[v]!] = p;
  });
  return { part, count: parts.length, order: Int32Array.from(parts, (_, p) => p) };
}
