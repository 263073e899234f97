import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "./environment.ts";
import type { Partition } from "./partition.ts";
import { PriorityHeap } from "./priority-heap.ts";
import { quotient, quotientOrder } from "./quotient.ts";
import type { SubgraphSchedule } from "./schedule.ts";

/**
 * Atomic dispatch in a given order: each part takes the executor that is free first, once all it depends on have ended
 * and the part before it in the order has started. Every schedule on equal executors, read in the order of its starts, comes
 * out no longer, which list scheduling cannot promise: it never leaves an executor idle, and the best schedule may have to.
 * O(n + m + parts log executors).
 * @param partition with an `order` that holds every part once, after those it depends on.
 * @param work what every task really takes.
 */
export function simulateInOrder(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  work: Float64Array,
): SubgraphSchedule {
  const graph = quotient(view, partition, work);
  const order = partition.order ?? quotientOrder(graph);
  const startMs = new Float64Array(graph.count);
  const endMs = new Float64Array(graph.count);
  const earliest = new Float64Array(graph.count);
  const running = new PriorityHeap(
    (left, right) => endMs[left]! < endMs[right]! || (endMs[left] === endMs[right] && left < right),
  );
  let clock = 0;
  for (const p of order) {
    const free = running.size < environment.executors ? 0 : endMs[running.pop()!]!;
    clock = Math.max(clock, free, earliest[p]!);
    startMs[p] = clock;
    endMs[p] = clock + (graph.work[p]! + environment.overheadMs);
    running.push(p);
    for (let edge = graph.outPtr[p]!; edge < graph.outPtr[p + 1]!; edge++) {
      const next = graph.out[edge]!;
      earliest[next] = Math.max(earliest[next]!, endMs[p]!);
    }
  }
  return { startMs, endMs };
}
