import type { PlanView } from "@planloom/plan";
import { RateGate } from "./dispatch-rate.ts";
import { classOfExecutor, type ExecutionEnvironment } from "./environment.ts";
import { partDurations } from "./part-durations.ts";
import type { Partition } from "./partition.ts";
import { quotient, quotientOrder } from "./quotient.ts";
import type { SubgraphSchedule } from "./schedule.ts";
import { incoming, transferMs } from "./simulate-transfers.ts";

/**
 * Atomic dispatch of a schedule: every executor runs the parts that are placed on it in their order, each as soon as the one before it on that
 * executor has ended, all it reads is there and the rate of dispatches lets it begin, in the order. Without a rate parts on other executors do not matter, so the makespan is the length of a path, and
 * continuous in every duration. O(n + m).
 * @param partition with `order` and `placement`.
 */
export function simulateAsPlaced(
  view: PlanView,
  environment: ExecutionEnvironment,
  partition: Partition,
  placement: Int32Array,
  work: Float64Array,
): SubgraphSchedule {
  const graph = quotient(view, partition);
  const durations = partDurations(view, environment, graph, work);
  const kindOf = classOfExecutor(environment);
  const arrivals = incoming(view, partition);
  const startMs = new Float64Array(graph.count);
  const endMs = new Float64Array(graph.count);
  const kind = new Int32Array(graph.count);
  const gate = new RateGate(environment.dispatchRate);
  const freeMs = new Map<number, number>();
  for (const p of partition.order ?? quotientOrder(graph)) {
    const executor = placement[p]!;
    let start = Math.max(gate.opensMs, freeMs.get(executor) ?? 0);
    for (const { part, bytes } of arrivals[p]!) {
      const travel =
        placement[part] === executor ? 0 : transferMs(environment, bytes, kindOf(placement[part]!), kindOf(executor));
      start = Math.max(start, endMs[part]! + travel);
    }
    gate.begin(start);
    kind[p] = kindOf(executor);
    startMs[p] = start;
    endMs[p] = start + durations[kind[p]!]![p]!;
    freeMs.set(executor, endMs[p]!);
  }
  return { startMs, endMs, kind };
}
