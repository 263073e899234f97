import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "./environment.ts";
import type { Partition } from "./partition.ts";
import { type Quotient, quotient, quotientOrder } from "./quotient.ts";
import { simulateAtomic } from "./simulate-atomic.ts";
import { simulateStreaming } from "./simulate-streaming.ts";

/** When every subgraph ran; milliseconds since the run began. */
export interface Schedule {
  readonly startMs: Float64Array;
  readonly endMs: Float64Array;
}

/** What a grouping is predicted to cost. All are pure functions of view, environment and partition. */
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

/**
 * Simulates the dispatch of a partition, event by event: list scheduling, longest remaining path of subgraphs first, on
 * `environment.executors` executors. Deterministic. O((n + m) log n).
 * @param partition one that `verify` finds nothing wrong with; anything else gives figures without meaning.
 */
export function simulate(view: PlanView, environment: ExecutionEnvironment, partition: Partition): Metrics {
  const graph = quotient(view, partition);
  const order = quotientOrder(graph);
  const schedule = (environment.semantics === "atomic" ? simulateAtomic : simulateStreaming)(
    view,
    environment,
    partition,
    graph,
    order,
  );
  let makespanMs = 0;
  for (const end of schedule.endMs) makespanMs = Math.max(makespanMs, end);
  let work = 0;
  for (const own of graph.work) work += own;
  return {
    makespanMs,
    dispatches: graph.count,
    rounds: rounds(graph, order),
    parallelism: makespanMs === 0 ? 0 : work / makespanMs,
    cutBytes: cutBytes(view, partition),
    schedule,
  };
}

function rounds(graph: Quotient, order: Int32Array): number {
  const depth = new Int32Array(graph.count);
  let deepest = 0;
  for (const p of order) {
    depth[p]!++;
    deepest = Math.max(deepest, depth[p]!);
    for (let edge = graph.outPtr[p]!; edge < graph.outPtr[p + 1]!; edge++) {
      depth[graph.out[edge]!] = Math.max(depth[graph.out[edge]!]!, depth[p]!);
    }
  }
  return deepest;
}

/** Connectivity, not edge cut: a broadcast to ten tasks of one subgraph is sent once. */
function cutBytes(view: PlanView, { part, count }: Partition): number {
  const sentTo = new Int32Array(count).fill(-1);
  let bytes = 0;
  for (let v = 0; v < view.n; v++) {
    for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
      const target = part[view.out[edge]!]!;
      if (target === part[v] || sentTo[target] === v) continue;
      sentTo[target] = v;
      bytes += view.outBytes[v]!;
    }
  }
  return bytes;
}
