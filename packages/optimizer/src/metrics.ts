import type { OptionChecks, PlanView } from "@planloom/plan";
import { lowerBoundsWaiting } from "./bounds/lower-bounds.ts";
import { checkOptions } from "./check-options.ts";
import { promptTokens } from "./dispatch-amounts.ts";
import { type ExecutionEnvironment, executorClasses } from "./environment.ts";
import type { Partition } from "./partition.ts";
import { type Quotient, quotient } from "./quotient.ts";
import { quotientWidth } from "./quotient-width.ts";
import type { SubgraphSchedule } from "./schedule.ts";
import type { Metrics } from "./simulate.ts";
import { noisyWork } from "./simulate-noise.ts";
import { makespanWaiting, simulateWaiting, type WaitTimes } from "./timed-waits.ts";

/** Mean and 95th percentile over seeds. */
export interface Spread {
  readonly mean: number;
  readonly p95: number;
}

/** Everything a grouping is judged by. All are pure functions of view, environment, partition and seeds. */
export interface FullMetrics extends Metrics {
  readonly lowerBoundMs: number;
  /** Makespan divided by the best lower bound, at least 1. */
  readonly ratio: number;
  readonly dispatchesPerTask: number;
  /** Prompt tokens of all dispatches: base, tasks, and each output once for every foreign part that reads it. */
  readonly tokens: number;
  /** Edges between parts, for comparison with the literature. */
  readonly edgeCut: number;
  /** Most parts of which none waits for another; of the largest level only, above 400 parts. */
  readonly width: number;
  /** Busiest executor divided by the mean over executors in use; at least 1. */
  readonly executorBalance: number;
  /** Heaviest part divided by the mean part; at least 1. */
  readonly partBalance: number;
  /** Tasks run again when a task fails: its part and what of its descendants has started. */
  readonly blastRadius: {
    /** Weighted by failure probabilities; by nothing where all are 0. */
    readonly mean: number;
    readonly p95: number;
    readonly max: number;
  };
  /** Milliseconds of executor time spent again, to first order: a part is repeated if one of its tasks fails. */
  readonly expectedReworkMs: number;
  /** What it costs, by the environment's prices. */
  readonly price: number;
  /** Makespan with log-normal noise on the runtimes, in milliseconds, by sigma. */
  readonly robustness: ReadonlyMap<number, Spread>;
}

export interface MeasureOptions {
  /** @default [1, 2, …, 20] */
  readonly seeds?: readonly number[];
  /** Spreads of the noise. @default [0.3, 1] */
  readonly sigmas?: readonly number[];
}

/** What is checked of each option. */
export const measureChecks = { seeds: "list", sigmas: "list" } as const satisfies OptionChecks<MeasureOptions>;

/**
 * Simulates a grouping and measures all of it. O(n + m) but for the descendants of failed tasks, O(parts · edges between
 * parts / 32), the width, and one simulation for every seed and sigma.
 * @param partition one that `verify` finds nothing wrong with.
 */
export function measure(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  options: MeasureOptions = {},
): FullMetrics {
  checkOptions("`measure`", options, measureChecks);
  return measureWaiting(view, environment, partition, options, undefined);
}

/** `measure` of a plan whose waits last. @param waits undefined for a plan without waits */
export function measureWaiting(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  options: MeasureOptions,
  waits: WaitTimes | undefined,
): FullMetrics {
  const { seeds = Array.from({ length: 20 }, (_, at) => at + 1), sigmas = [0.3, 1] } = options;
  const base = simulateWaiting(view, environment, partition, waits);
  const graph = quotient(view, partition);
  const lowerBoundMs = Math.min(base.makespanMs, lowerBoundsWaiting(view, environment, waits).best.ms);
  const tokens = totalTokens(view, environment, partition);
  const rework = expectedRework(view, environment, partition);
  let heaviest = 0;
  let work = 0;
  for (const own of graph.work) {
    heaviest = Math.max(heaviest, own);
    work += own;
  }
  return {
    ...base,
    lowerBoundMs,
    ratio: lowerBoundMs === 0 ? 1 : base.makespanMs / lowerBoundMs,
    dispatchesPerTask: view.n === 0 ? 0 : partition.count / view.n,
    tokens,
    edgeCut: edgeCut(view, partition),
    width: quotientWidth(graph),
    executorBalance: executorBalance(base, environment.executors),
    partBalance: work === 0 ? 1 : (heaviest * graph.count) / work,
    blastRadius: blastRadius(view, partition, graph, base),
    expectedReworkMs: rework,
    price: priceOf(view, environment, partition, base.schedule),
    robustness: new Map(
      sigmas.map((sigma) => [
        sigma,
        spread(
          seeds.map((seed) => makespanWaiting(view, environment, partition, waits, noisyWork(view, { seed, sigma }))),
        ),
      ]),
    ),
  };
}

/** Prompt tokens of all dispatches, at the least base of the executor classes. O(n + m). */
export function totalTokens(view: PlanView, environment: ExecutionEnvironment, partition: Partition): number {
  const base = Math.min(...executorClasses(environment).map((each) => each.baseTokens));
  return promptTokens(view, partition).reduce((sum, own) => sum + own, partition.count * base);
}

/**
 * What a schedule costs by the prices of the environment, or of the class that ran each part: its dispatches, its prompt tokens, and its executors for as long as
 * they are busy. O(n + m).
 */
export function priceOf(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  { startMs, endMs, kind }: SubgraphSchedule,
): number {
  const classes = executorClasses(environment);
  const tokens = promptTokens(view, partition);
  let sum = 0;
  for (let p = 0; p < partition.count; p++) {
    const { baseTokens, prices } = classes[kind?.[p] ?? 0]!;
    const { perDispatch = 0, perMillionTokens = 0, perExecutorHour = 0 } = prices;
    sum += perDispatch + ((baseTokens + tokens[p]!) / 1e6) * perMillionTokens;
    sum += ((endMs[p]! - startMs[p]!) / 3.6e6) * perExecutorHour;
  }
  return sum;
}

/** `sum over parts of (1 - product of (1 - p)) · (overhead + work)`: grows with parts, against overhead. O(n). */
export function expectedRework(view: PlanView, environment: ExecutionEnvironment, { part, count }: Partition): number {
  const { n, work, failProb } = view;
  if (!failProb.some((chance) => chance > 0)) return 0;
  const survives = new Float64Array(count).fill(1);
  const takes = new Float64Array(count).fill(environment.overheadMs);
  for (let v = 0; v < n; v++) {
    survives[part[v]!]! *= 1 - failProb[v]!;
    takes[part[v]!]! += work[v]!;
  }
  let sum = 0;
  for (let p = 0; p < count; p++) sum += (1 - survives[p]!) * takes[p]!;
  return sum;
}

function edgeCut(view: PlanView, { part }: Partition): number {
  let cut = 0;
  for (let v = 0; v < view.n; v++) {
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) if (part[view.out[edge]!] !== part[v]) cut++;
  }
  return cut;
}

/** Parts are laid on executors as they start, each on the one that is free first. */
function executorBalance({ schedule: { startMs, endMs } }: Metrics, executors: number): number {
  const order = Array.from(startMs, (_, p) => p).sort((left, right) => startMs[left]! - startMs[right]!);
  const free: number[] = [];
  const busy: number[] = [];
  for (const p of order) {
    let chosen = free.findIndex((time) => time <= startMs[p]!);
    if (chosen === -1) chosen = free.length < executors ? free.length : free.indexOf(Math.min(...free));
    free[chosen] = endMs[p]!;
    busy[chosen] = (busy[chosen] ?? 0) + endMs[p]! - startMs[p]!;
  }
  const total = busy.reduce((sum, own) => sum + own, 0);
  return total === 0 ? 1 : (Math.max(...busy) * busy.length) / total;
}

/**
 * Tasks run again when one fails: when a part fails as it ends, it runs again, and so does every part after it that has started
 * by then. O(parts · edges between parts) at worst.
 */
export function blastRadius(view: PlanView, { part }: Partition, graph: Quotient, { schedule }: Metrics) {
  const radius = new Float64Array(graph.count);
  const reached = new Int32Array(graph.count).fill(-1);
  for (let p = 0; p < graph.count; p++) {
    const stack = [p];
    reached[p] = p;
    for (let q = stack.pop(); q !== undefined; q = stack.pop()) {
      radius[p]! += graph.size[q]!;
      for (let edge = graph.outPtr[q]!; edge < graph.outPtr[q + 1]!; edge++) {
        const next = graph.out[edge]!;
        if (reached[next] === p || schedule.startMs[next]! >= schedule.endMs[p]!) continue;
        reached[next] = p;
        stack.push(next);
      }
    }
  }
  const each = Float64Array.from(part, (p) => radius[p]!);
  let weight = 0;
  let sum = 0;
  const known = view.failProb.some((chance) => chance > 0);
  for (let v = 0; v < view.n; v++) {
    const own = known ? view.failProb[v]! : 1;
    weight += own;
    sum += own * each[v]!;
  }
  each.sort();
  return { mean: weight === 0 ? 0 : sum / weight, p95: quantile(each, 0.95), max: each.at(-1) ?? 0 };
}

function spread(values: readonly number[]): Spread {
  const sorted = Float64Array.from(values).sort();
  return {
    mean: values.reduce((sum, each) => sum + each, 0) / Math.max(1, values.length),
    p95: quantile(sorted, 0.95),
  };
}

function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}
