import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "./environment.ts";
import { partPriority } from "./part-priority.ts";
import type { Partition } from "./partition.ts";
import { PriorityHeap } from "./priority-heap.ts";
import type { Quotient } from "./quotient.ts";
import type { Schedule } from "./simulate.ts";

/**
 * Atomic dispatch: a subgraph takes an executor for `overheadMs` plus the sum of its work, once every subgraph it
 * depends on has ended. O((parts + edges) log parts).
 */
export function simulateAtomic(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  graph: Quotient,
  order: Int32Array,
): Schedule {
  const startMs = new Float64Array(graph.count);
  const endMs = new Float64Array(graph.count);
  const before = partPriority(view, partition, graph, order, environment.overheadMs);
  const free = new PriorityHeap(before);
  const running = new PriorityHeap((a, b) => endMs[a]! < endMs[b]! || (endMs[a] === endMs[b] && before(a, b)));
  const waitsFor = graph.inDegree.slice();
  for (let p = 0; p < graph.count; p++) if (waitsFor[p] === 0) free.push(p);

  for (let now = 0; free.size > 0 || running.size > 0; ) {
    while (free.size > 0 && running.size < environment.executors) {
      const p = free.pop()!;
      startMs[p] = now;
      endMs[p] = now + environment.overheadMs + graph.work[p]!;
      running.push(p);
    }
    // Everything that ends at this moment frees its dependants before the next dispatch is decided.
    now = endMs[running.peek()!]!;
    while (running.size > 0 && endMs[running.peek()!] === now) {
      const p = running.pop()!;
      for (let edge = graph.outPtr[p]!; edge < graph.outPtr[p + 1]!; edge++) {
        if (--waitsFor[graph.out[edge]!]! === 0) free.push(graph.out[edge]!);
      }
    }
  }
  return { startMs, endMs };
}
