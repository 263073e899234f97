import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "../environment.ts";

/**
 * What it costs, in milliseconds, that a consumer of a task is in another subgraph than the task: another dispatch,
 * and the way of the output to another executor. This is the communication that clustering and scheduling heuristics
 * reckon with. O(n).
 */
export function transferCosts(view: PlanView, environment: ExecutionEnvironment): Float64Array {
  const { overheadMs, latencyMs = 0, bytesPerMs = Number.POSITIVE_INFINITY } = environment;
  return view.outBytes.map((bytes) => overheadMs + latencyMs + bytes / bytesPerMs);
}
