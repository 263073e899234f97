import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "../environment.ts";
import type { Partition } from "../partition.ts";
import { makespan } from "../simulate.ts";

/** The partition of the shortest simulated makespan, then of fewest parts, then the first. One simulation each. */
export function keepBest(
  view: PlanView,
  environment: ExecutionEnvironment,
  candidates: Iterable<Partition>,
): Partition {
  let best: Partition = { part: new Int32Array(view.n), count: Math.min(1, view.n) };
  let shortest = Number.POSITIVE_INFINITY;
  for (const candidate of candidates) {
    const length = makespan(view, environment, candidate);
    if (length < shortest || (length === shortest && candidate.count < best.count)) {
      best = candidate;
      shortest = length;
    }
  }
  return best;
}
