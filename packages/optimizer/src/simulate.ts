import type { PlanView } from "@planloom/plan";
import { type ExecutionEnvironment, isPlain } from "./environment.ts";
import { type PartGraph, partGraph } from "./part-graph.ts";
import type { Partition } from "./partition.ts";
import { simulateAtomic } from "./simulate-atomic.ts";
import { simulateInOrder } from "./simulate-in-order.ts";
import { type Noise, noisyWork } from "./simulate-noise.ts";
import { simulatePlaced } from "./simulate-placed.ts";
import { simulateStreaming } from "./simulate-streaming.ts";

/** When every subgraph ran; milliseconds since the run began. */
export interface Schedule {
  readonly startMs: Float64Array;
  readonly endMs: Float64Array;
}

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
  readonly schedule: Schedule;
}

export interface SimulateOptions {
  /** Runtimes differ from the estimates, which the dispatcher still goes by. @default every task takes its estimate */
  readonly noise?: Noise;
}

/**
 * Simulates the dispatch of a partition, event by event: list scheduling, longest remaining path of subgraphs first, on
 * `environment.executors` executors. Deterministic. O((n + m) log n).
 * @param partition one that `verify` finds nothing wrong with; anything else gives figures without meaning.
 */
export function simulate(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  options: SimulateOptions = {},
): Metrics {
  const work = realWork(view, options);
  const graph = partGraph(view, partition, environment.overheadMs);
  const times = schedule(view, environment, partition, graph, work);
  const startMs = new Float64Array(partition.count);
  const endMs = new Float64Array(partition.count);
  let makespanMs = 0;
  for (let p = 0; p < graph.count; p++) {
    startMs[graph.original[p]!] = times.startMs[p]!;
    endMs[graph.original[p]!] = times.endMs[p]!;
    if (times.endMs[p]! > makespanMs) makespanMs = times.endMs[p]!;
  }
  let total = 0;
  for (let v = 0; v < view.n; v++) total += work[v]!;
  return {
    makespanMs,
    dispatches: partition.count,
    rounds: graph.rounds,
    parallelism: makespanMs === 0 ? 0 : total / makespanMs,
    cutBytes: cutBytes(view, graph),
    schedule: { startMs, endMs },
  };
}

/** `simulate(…).makespanMs` and nothing else, for searches; `Infinity` where the parts wait for one another. */
export function makespan(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  options: SimulateOptions = {},
): number {
  const graph = partGraph(view, partition, environment.overheadMs);
  if (graph.rounds === -1) return Number.POSITIVE_INFINITY;
  const { endMs } = schedule(view, environment, partition, graph, realWork(view, options));
  let latest = 0;
  for (let p = 0; p < graph.count; p++) if (endMs[p]! > latest) latest = endMs[p]!;
  return latest;
}

function realWork(view: PlanView, { noise }: SimulateOptions): Float64Array {
  return noise === undefined || noise.sigma === 0 ? view.work : noisyWork(view, noise);
}

function schedule(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  graph: PartGraph,
  work: Float64Array,
) {
  if (environment.semantics === "streaming") return simulateStreaming(view, environment, graph, work);
  if (!isPlain(environment)) return renumbered(simulatePlaced(view, environment, partition, work), graph);
  if (partition.order !== undefined) return renumbered(simulateInOrder(view, environment, partition, work), graph);
  // The graph is this call's own, so its sums may become durations in place.
  const durationMs = work === view.work ? graph.work : sums(graph, work);
  for (let p = 0; p < graph.count; p++) durationMs[p]! += environment.overheadMs;
  return simulateAtomic(view, graph, durationMs, environment.executors);
}

/** From the partition's own numbers to those of the graph. */
function renumbered({ startMs, endMs }: Schedule, { count, original }: PartGraph): Schedule {
  const numbers = original.subarray(0, count);
  return {
    startMs: Float64Array.from(numbers, (p) => startMs[p]!),
    endMs: Float64Array.from(numbers, (p) => endMs[p]!),
  };
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
