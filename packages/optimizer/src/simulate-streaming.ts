import { type PlanView, upwardRanks } from "@planloom/plan";
import { canonicalOrder } from "./canonical-order.ts";
import type { ExecutionEnvironment } from "./environment.ts";
import type { PartGraph } from "./part-graph.ts";
import { PriorityHeap } from "./priority-heap.ts";
import type { SubgraphSchedule } from "./schedule.ts";

/**
 * Streaming dispatch. A subgraph may take an executor as soon as one of its tasks could run and every subgraph it
 * depends on has been dispatched; it keeps the executor, pays `overheadMs` once, runs its tasks one at a time (longest
 * remaining path of the plan first) and idles while the next one waits for another subgraph. The second condition rules
 * out that all executors are held by subgraphs that wait for one that has none. O((n + m) log n).
 * @param order the partition's own, by its own numbers: then the next part of it is the only one that may be dispatched.
 * @returns times by the numbers of the graph.
 */
export function simulateStreaming(
  view: PlanView,
  environment: ExecutionEnvironment,
  graph: PartGraph,
  work: Float64Array,
  order?: Int32Array,
): SubgraphSchedule {
  const { count, label: part } = graph;
  const startMs = new Float64Array(count);
  const endMs = new Float64Array(count);
  const taskEnd = new Float64Array(view.n);
  const rank = upwardRanks(view);
  const tie = canonicalOrder(view);
  const taskBefore = (a: number, b: number) => rank[a]! > rank[b]! || (rank[a] === rank[b] && tie[a]! < tie[b]!);
  const endsFirst = (a: number, b: number) =>
    taskEnd[a]! < taskEnd[b]! || (taskEnd[a] === taskEnd[b] && tie[a]! < tie[b]!);

  const earliest = new Int32Array(count).fill(view.n);
  for (let v = 0; v < view.n; v++) earliest[part[v]!] = Math.min(earliest[part[v]!]!, tie[v]!);
  const place = order === undefined ? undefined : placesOf(order, graph);
  const free = new PriorityHeap((p, q) =>
    place !== undefined
      ? place[p]! < place[q]!
      : graph.rank[p]! > graph.rank[q]! || (graph.rank[p] === graph.rank[q] && earliest[p]! < earliest[q]!),
  );
  let next = 0;
  const running = new PriorityHeap(endsFirst);
  const ready: PriorityHeap[] = Array.from({ length: count }, () => new PriorityHeap(taskBefore));
  // Edges of the plan from parts that have not been dispatched.
  const undispatched = graph.waits.slice(0, count);
  const tasksLeft = Int32Array.from({ length: count }, (_, p) => graph.memberPtr[p + 1]! - graph.memberPtr[p]!);
  const waitsFor = Int32Array.from({ length: view.n }, (_, v) => view.inPtr[v + 1]! - view.inPtr[v]!);
  const queued = new Uint8Array(count);
  const dispatched = new Uint8Array(count);
  const busy = new Uint8Array(count);
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
    taskEnd[v] = at + work[v]!;
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
      if (place !== undefined && place[free.peek()!] !== next) break;
      const p = free.pop()!;
      next++;
      executorsFree--;
      dispatched[p] = 1;
      startMs[p] = now;
      begin(p, now + environment.overheadMs);
      for (let at = graph.memberPtr[p]!; at < graph.memberPtr[p + 1]!; at++) {
        const v = graph.members[at]!;
        for (let edge = view.outPtr[v]!; edge < view.outPtr[v + 1]!; edge++) {
          const q = part[view.out[edge]!]!;
          if (q === p) continue;
          undispatched[q]!--;
          offer(q);
        }
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

/** The place in the order of each part, by the numbers of the graph. */
function placesOf(order: Int32Array, { count, original }: PartGraph): Int32Array {
  const place = new Int32Array(count);
  order.forEach((p, at) => {
    place[p] = at;
  });
  return Int32Array.from({ length: count }, (_, p) => place[original[p]!]!);
}
