import type { OptionChecks, PlanView } from "@planloom/plan";
import { checkOptions } from "./check-options.ts";
import { type ExecutionEnvironment, hasTransfers, isPlain } from "./environment.ts";
import { classesOfParts, partDurations, pipelinedDurations } from "./part-durations.ts";
import { type PartGraph, partGraph } from "./part-graph.ts";
import type { Partition } from "./partition.ts";
import { quotient } from "./quotient.ts";
import type { SubgraphSchedule } from "./schedule.ts";
import { simulateAsPlaced } from "./simulate-as-placed.ts";
import { prioritiesOf, simulateAtomic } from "./simulate-atomic.ts";
import { simulateClasses } from "./simulate-classes.ts";
import { simulateInOrder } from "./simulate-in-order.ts";
import { type Noise, noisyWork } from "./simulate-noise.ts";
import { simulatePipelined } from "./simulate-pipelined.ts";
import { simulateStreaming } from "./simulate-streaming.ts";
import { simulateTransfers } from "./simulate-transfers.ts";

/** What a grouping is predicted to cost. All are pure functions of view, environment, partition and noise. */
export interface Metrics {
  /** When the last task ends, in milliseconds. */
  readonly makespanMs: number;
  /** Number of subgraphs. */
  readonly dispatches: number;
  /** Subgraphs on the longest path through the quotient. */
  readonly rounds: number;
  /** Work divided by makespan: how many executors were busy with tasks on average. 0 for an empty plan. */
  readonly parallelism: number;
  /** Bytes sent between subgraphs: each output once for every foreign subgraph that reads it. */
  readonly cutBytes: number;
  readonly schedule: SubgraphSchedule;
}

export interface SimulateOptions {
  /** Runtimes differ from the estimates, which the dispatcher still goes by. @default every task takes its estimate */
  readonly noise?: Noise;
  /** What every task really takes, in milliseconds, where no `noise` is asked for. @default the estimates */
  readonly work?: Float64Array;
}

const checks = {
  noise: { options: { seed: "number", sigma: "nonNegative" } satisfies OptionChecks<Noise> },
  work: "object",
} as const satisfies OptionChecks<SimulateOptions>;
/** A search asks for a makespan many thousand times; then there is nothing to check. */
const asEstimated: SimulateOptions = {};

/**
 * Simulates the dispatch of a partition, event by event: list scheduling, longest remaining path of subgraphs first, or the partition's own
 * order and placement, in any environment. docs/optimizer/formulation.md has all rules. Deterministic. O((n + m) log n).
 * @param partition one that `verify` finds nothing wrong with; anything else gives figures without meaning.
 */
export function simulate(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  options: SimulateOptions = asEstimated,
): Metrics {
  if (options !== asEstimated) checkOptions("`simulate`", options, checks);
  const work = realWork(view, options);
  const graph = partGraph(view, partition, environment.overheadMs);
  const times = schedule(view, environment, partition, graph, work, emptySchedule(partition.count));
  const makespanMs = latest(times.endMs, partition.count);
  let total = 0;
  for (let v = 0; v < view.n; v++) total += work[v]!;
  return {
    makespanMs,
    dispatches: partition.count,
    rounds: graph.rounds,
    parallelism: makespanMs === 0 ? 0 : total / makespanMs,
    cutBytes: cutBytes(view, graph),
    schedule: times,
  };
}

/** `simulate(…).makespanMs` and nothing else, for searches; `Infinity` where the parts wait for one another. */
export function makespan(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  options: SimulateOptions = asEstimated,
): number {
  if (options !== asEstimated) checkOptions("`makespan`", options, checks);
  const graph = partGraph(view, partition, environment.overheadMs);
  if (graph.rounds === -1) return Number.POSITIVE_INFINITY;
  if (scratch.endMs.length < partition.count) scratch = emptySchedule(2 * partition.count);
  const { endMs } = schedule(view, environment, partition, graph, realWork(view, options), scratch);
  return latest(endMs, partition.count);
}

/** Where `makespan` has schedules written, which are not read. */
let scratch = emptySchedule(256);

function emptySchedule(count: number): SubgraphSchedule {
  return { startMs: new Float64Array(count), endMs: new Float64Array(count) };
}

function latest(endMs: Float64Array, count: number): number {
  let last = 0;
  for (let p = 0; p < count; p++) if (endMs[p]! > last) last = endMs[p]!;
  return last;
}

function realWork(view: PlanView, { noise, work = view.work }: SimulateOptions): Float64Array {
  return noise === undefined || noise.sigma === 0 ? work : noisyWork(view, noise);
}

/** By the partition's own numbers. @param into may be what is returned; at least as long as there are parts. */
function schedule(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  graph: PartGraph,
  work: Float64Array,
  into: SubgraphSchedule,
): SubgraphSchedule {
  const { order, placement } = partition;
  if (environment.semantics === "streaming")
    return renumbered(simulateStreaming(view, environment, graph, work, order), graph);
  if (environment.semantics === "pipelined") {
    const { overheadMs, executors } = environment;
    if (!isPlain(environment)) return onClasses(view, environment, partition, graph, work);
    simulatePipelined(view, graph, overheadMs, executors, work, order, into);
    return into;
  }
  if (placement !== undefined) return simulateAsPlaced(view, environment, partition, placement, work);
  if (!isPlain(environment)) return onClasses(view, environment, partition, graph, work);
  if (order !== undefined) return simulateInOrder(view, environment, partition, work);
  // The graph is this call's own, so its sums may become durations in place.
  const durationMs = work === view.work ? graph.work : sums(graph, work);
  for (let p = 0; p < graph.count; p++) durationMs[p]! += environment.overheadMs;
  simulateAtomic(view, graph, durationMs, environment.executors, into);
  return into;
}

function onClasses(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  graph: PartGraph,
  work: Float64Array,
): SubgraphSchedule {
  const { order } = partition;
  const priority = prioritiesOf(view, graph);
  const merged = quotient(view, partition);
  const kinds = classesOfParts(view, environment, partition, merged);
  if (environment.semantics === "pipelined") {
    const estimated = pipelinedDurations(view, environment, merged, view.work);
    const real = work === view.work ? estimated : pipelinedDurations(view, environment, merged, work);
    const publications = { view, part: partition.part, taskEndMs: real.taskEndMs };
    const durations = { estimatedMs: estimated.durations, realMs: real.durations };
    return simulateClasses({ environment, graph: merged, kinds, ...durations, priority, order, publications });
  }
  const estimatedMs = partDurations(view, environment, merged, view.work);
  const realMs = work === view.work ? estimatedMs : partDurations(view, environment, merged, work);
  const base = simulateClasses({ environment, graph: merged, kinds, estimatedMs, realMs, priority, order });
  return hasTransfers(environment) ? simulateTransfers(view, environment, partition, base, realMs) : base;
}

/** From the numbers of the graph to those of the partition. */
function renumbered({ startMs, endMs }: SubgraphSchedule, { count, original }: PartGraph): SubgraphSchedule {
  const times = emptySchedule(count);
  for (let p = 0; p < count; p++) {
    times.startMs[original[p]!] = startMs[p]!;
    times.endMs[original[p]!] = endMs[p]!;
  }
  return times;
}

function sums({ count, memberPtr, members }: PartGraph, work: Float64Array): Float64Array {
  const sum = new Float64Array(count);
  for (let p = 0; p < count; p++) {
    for (let at = memberPtr[p]!; at < memberPtr[p + 1]!; at++) sum[p]! += work[members[at]!]!;
  }
  return sum;
}

/** Connectivity, not edge cut: a broadcast to ten tasks of one subgraph is sent once. */
function cutBytes(view: PlanView, { label, count }: PartGraph): number {
  const { outPtr, out, outBytes } = view;
  let sentTo: Int32Array | undefined;
  let bytes = 0;
  for (let v = 0; v < view.n; v++) {
    if (outBytes[v] === 0) continue;
    sentTo ??= new Int32Array(count).fill(-1);
    for (let edge = outPtr[v]!; edge < outPtr[v + 1]!; edge++) {
      const target = label[out[edge]!]!;
      if (target === label[v] || sentTo[target] === v) continue;
      sentTo[target] = v;
      bytes += outBytes[v]!;
    }
  }
  return bytes;
}
