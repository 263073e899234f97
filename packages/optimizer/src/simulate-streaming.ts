import { type PlanView, upwardRanks } from "@planloom/plan";
import { canonicalOrder } from "./canonical-order.ts";
import type { ExecutionEnvironment } from "./environment.ts";
import { partPriority } from "./part-priority.ts";
import type { Partition } from "./partition.ts";
import { PriorityHeap } from "./priority-heap.ts";
import type { Quotient } from "./quotient.ts";
import type { Schedule } from "./simulate.ts";

/**
 * Streaming dispatch. A subgraph may take an executor as soon as one of its tasks could run and every subgraph it
 * depends on has been dispatched; it keeps the executor, pays `overheadMs` once, runs its tasks one at a time (longest
 * remaining path of the plan first) and idles while the next one waits for another subgraph. The second condition rules
 * out that all executors are held by subgraphs that wait for one that has none. O((n + m) log n).
 */
export function simulateStreaming(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  graph: Quotient,
  order: Int32Array,
): Schedule {
  const { part } = partition;
  const startMs = new Float64Array(graph.count);
  const endMs = new Float64Array(graph.count);
  const taskEnd = new Float64Array(view.n);
  const rank = upwardRanks(view);
  const tie = canonicalOrder(view);
  const taskBefore = (a: number, b: number) => rank[a]! > rank[b]! || (rank[a] === rank[b] && tie[a]! < tie[b]!);
  const endsFirst = (a: number, b: number) =>
    taskEnd[a]! < taskEnd[b]! || (taskEnd[a] === taskEnd[b] && tie[a]! < tie[b]!);

  const free = new PriorityHeap(partPriority(view, partition, graph, order, environment.overheadMs));
  const running = new PriorityHeap(endsFirst);
  const ready: PriorityHeap[] = Array.from({ length: graph.count }, () => new PriorityHeap(taskBefore));
  const undispatched = graph.inDegree.slice();
  const tasksLeft = graph.size.slice();
  const waitsFor = Int32Array.from({ length: view.n }, (_, v) => view.inPtr[v + 1]! - view.inPtr[v]!);
  const queued = new Uint8Array(graph.count);
  const dispatched = new Uint8Array(graph.count);
  const busy = new Uint8Array(graph.count);
  let executorsFree = environment.executors;

  const offer = (p: number) => {
    if (queued[p] === 1 || undispatched[p]! > 0 || ready[p]!.size === 0) return;
    queued[p] = 1;
    free.push(p);
  };
  const begin = (p: number, at: number) => {
    const v = ready[p]!.pop();
    if (v === undefined) return;
    busy[p] = 1;
    taskEnd[v] = at + view.work[v]!;
    running.push(v);
  };
  const touched = new Set<number>();
  const release = (v: number) => {
    ready[part[v]!]!.push(v);
    touched.add(part[v]!);
  };
  for (const v of view.topo) if (waitsFor[v] === 0) release(v);

  for (let now = 0; ; ) {
    for (const p of touched) {
      if (dispatched[p] === 0) offer(p);
      else if (busy[p] === 0) begin(p, now);
    }
    touched.clear();
    while (free.size > 0 && executorsFree > 0) {
      const p = free.pop()!;
      executorsFree--;
      dispatched[p] = 1;
      startMs[p] = now;
      begin(p, now + environment.overheadMs);
      for (let edge = graph.outPtr[p]!; edge < graph.outPtr[p + 1]!; edge++) {
        undispatched[graph.out[edge]!]!--;
        offer(graph.out[edge]!);
      }
    }
    const first = running.peek();
    if (first === undefined) return { startMs, endMs };
    now = taskEnd[first]!;
    while (running.size > 0 && taskEnd[running.peek()!] === now) {
      const v = running.pop()!;
      const p = part[v]!;
      busy[p] = 0;
      touched.add(p);
      if (--tasksLeft[p]! === 0) {
        endMs[p] = now;
        executorsFree++;
      }
      for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
        if (--waitsFor[view.out[edge]!]! === 0) release(view.out[edge]!);
      }
    }
  }
}
