import type { PlanView } from "@planloom/plan";
import { BitmapQueue } from "./bitmap-queue.ts";
import type { PartGraph } from "./part-graph.ts";
import { replaceRoot, rise } from "./running-heap.ts";
import type { SubgraphSchedule } from "./schedule.ts";
import { prioritiesOf } from "./simulate-atomic.ts";
import { taskSequence } from "./task-sequence.ts";

/** Buffers are kept between calls up to this many tasks, for searches that simulate small plans by the thousand. */
const KEPT = 65_536;

interface Buffers {
  /** By task: when it publishes, in milliseconds since the dispatch of its part. */
  readonly publishedMs: Float64Array;
  /** By part, in the numbers of the graph. */
  readonly durationMs: Float64Array;
  readonly readyMs: Float64Array;
  readonly startMs: Float64Array;
  readonly queue: BitmapQueue;
  /** Parts that run, and parts whose inputs are all under way: heaps by time. */
  readonly runningMs: Float64Array;
  readonly running: Int32Array;
  readonly comingMs: Float64Array;
  readonly coming: Int32Array;
}

let kept: Buffers | undefined;

function buffers(n: number): Buffers {
  if (kept !== undefined && kept.publishedMs.length > n) {
    kept.queue.resize(n);
    return kept;
  }
  const size = 2 * n + 64;
  const times = () => new Float64Array(size);
  const parts = () => new Int32Array(size);
  const own: Buffers = {
    publishedMs: times(),
    durationMs: times(),
    readyMs: times(),
    startMs: times(),
    queue: new BitmapQueue(size),
    runningMs: times(),
    running: parts(),
    comingMs: times(),
    coming: parts(),
  };
  own.queue.resize(n);
  if (n <= KEPT) kept = own;
  return own;
}

/**
 * Pipelined dispatch on equal executors that run one task at a time, with outputs there at once and no rate of dispatches: what `simulateClasses` has with publications, for searches. A part may go once every task of another part
 * whose output its own tasks read has ended, which is known when the last of these parts is dispatched. O(n + m + parts log parts).
 * @param graph whose `waits` are used up
 * @param work what every task really takes
 * @param order by the numbers of the partition; in which parts are dispatched, none overtaking another. @default longest remaining path first, ties as `prioritiesOf`
 * @param times receives when each part ran, by the numbers of the partition; at least `graph.count` long
 */
export function simulatePipelined(
  view: PlanView,
  graph: PartGraph,
  overheadMs: number,
  executors: number,
  work: Float64Array,
  order: Int32Array | undefined,
  times: SubgraphSchedule,
): void {
  const { count, label, original } = graph;
  const own = buffers(view.n);
  const { publishedMs, durationMs, readyMs, startMs } = own;
  durationMs.fill(0, 0, count);
  readyMs.fill(0, 0, count);
  const sequence = taskSequence(view);
  for (let at = 0; at < view.n; at++) {
    const v = sequence[at]!;
    const p = label[v]!;
    const end = durationMs[p]! + work[v]!;
    durationMs[p] = end;
    publishedMs[v] = end + overheadMs;
  }
  for (let p = 0; p < count; p++) durationMs[p]! += overheadMs;
  if (order !== undefined) inOrder(view, graph, own, executors, order);
  else if (executors >= count) inOrder(view, graph, own, executors, undefined);
  else byPriority(view, graph, own, executors);
  for (let p = 0; p < count; p++) {
    times.startMs[original[p]!] = startMs[p]!;
    times.endMs[original[p]!] = startMs[p]! + durationMs[p]!;
  }
}

/**
 * One part after the other: each takes the executor that is free first, once it may go and the part before it has started. Without an order each goes when it may, since there
 * are executors for all.
 */
function inOrder(
  view: PlanView,
  { count, label, original, memberPtr, members }: PartGraph,
  { publishedMs, durationMs, readyMs, startMs, runningMs, running }: Buffers,
  executors: number,
  order: Int32Array | undefined,
): void {
  const { outPtr, out } = view;
  const numberOf = order === undefined ? undefined : new Int32Array(count);
  if (numberOf !== undefined) for (let p = 0; p < count; p++) numberOf[original[p]!] = p;
  let busy = 0;
  let clock = 0;
  for (let at = 0; at < count; at++) {
    const p = order === undefined ? at : numberOf![order[at]!]!;
    let start = readyMs[p]!;
    if (order !== undefined) {
      if (clock > start) start = clock;
      const isBusy = busy === executors;
      if (isBusy && runningMs[0]! > start) start = runningMs[0]!;
      clock = start;
      const end = start + durationMs[p]!;
      if (isBusy) replaceRoot(runningMs, running, busy, end, p);
      else rise(runningMs, running, busy++, end, p);
    }
    startMs[p] = start;
    for (let member = memberPtr[p]!; member < memberPtr[p + 1]!; member++) {
      const v = members[member]!;
      const there = start + publishedMs[v]!;
      for (let edge = outPtr[v]!; edge < outPtr[v + 1]!; edge++) {
        const q = label[out[edge]!]!;
        if (q !== p && readyMs[q]! < there) readyMs[q] = there;
      }
    }
  }
}

function byPriority(view: PlanView, graph: PartGraph, own: Buffers, executors: number): void {
  const { count, label, original, memberPtr, members, waits } = graph;
  const { publishedMs, durationMs, readyMs, startMs, queue, runningMs, running, comingMs, coming } = own;
  const { outPtr, out } = view;
  const places = prioritiesOf(view, graph);
  const partAt = new Int32Array(count);
  for (let p = 0; p < count; p++) partAt[places[original[p]!]!] = p;
  for (let p = 0; p < count; p++) if (waits[p] === 0) queue.push(places[original[p]!]!);
  let busy = 0;
  let expected = 0;
  for (let now = 0; ; ) {
    while (busy < executors && queue.size > 0) {
      const p = partAt[queue.pop()]!;
      startMs[p] = now;
      rise(runningMs, running, busy++, now + durationMs[p]!, p);
      for (let member = memberPtr[p]!; member < memberPtr[p + 1]!; member++) {
        const v = members[member]!;
        const there = now + publishedMs[v]!;
        for (let edge = outPtr[v]!; edge < outPtr[v + 1]!; edge++) {
          const q = label[out[edge]!]!;
          if (q === p) continue;
          if (readyMs[q]! < there) readyMs[q] = there;
          if (--waits[q]! === 0) rise(comingMs, coming, expected++, readyMs[q]!, q);
        }
      }
    }
    if (busy === 0 && expected === 0) return;
    now = Math.min(busy > 0 ? runningMs[0]! : comingMs[0]!, expected > 0 ? comingMs[0]! : runningMs[0]!);
    // Everything that ends at this moment makes room before the next dispatch is decided.
    while (busy > 0 && runningMs[0] === now) {
      busy--;
      replaceRoot(runningMs, running, busy, runningMs[busy]!, running[busy]!);
    }
    while (expected > 0 && comingMs[0] === now) {
      queue.push(places[original[coming[0]!]!]!);
      expected--;
      replaceRoot(comingMs, coming, expected, comingMs[expected]!, coming[expected]!);
    }
  }
}
