import type { PlanView } from "@planloom/plan";
import { classOfExecutor, type ExecutionEnvironment } from "./environment.ts";
import { partDurations } from "./part-durations.ts";
import type { Partition } from "./partition.ts";
import { quotient, quotientOrder } from "./quotient.ts";
import type { Schedule } from "./schedule.ts";
import { incoming, transferMs } from "./simulate-transfers.ts";

/**
 * Atomic dispatch of a schedule: every executor runs the parts that are placed on it in their order, each as soon as the one before it on that
 * executor has ended and all it reads is there. Parts on other executors do not matter, so the makespan is the length of a path, and
 * continuous in every duration. O(n + m).
 * @param partition with `order` and `placement`.
 */
export function simulateAsPlaced(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  placement: Int32Array,
  work: Float64Array,
): Schedule {
  const graph = quotient(view, partition);
  const durations = partDurations(view, environment, graph, work);
  const kindOf = classOfExecutor(environment);
  const arrivals = incoming(view, partition);
  const startMs = new Float64Array(graph.count);
  const endMs = new Float64Array(graph.count);
  const freeMs = new Map<number, number>();
  for (const p of partition.order ?? quotientOrder(graph)) {
    const executor = placement[p]!;
    let start = freeMs.get(executor) ?? 0;
    for (const { part, bytes } of arrivals[p]!) {
      const travel =
        placement[part] === executor ? 0 : transferMs(environment, bytes, kindOf(placement[part]!), kindOf(executor));
      start = Math.max(start, endMs[part]! + travel);
    }
    startMs[p] = start;
    endMs[p] = start + durations[kindOf(executor)]![p]!;
    freeMs.set(executor, endMs[p]!);
  }
  return { startMs, endMs };
}
