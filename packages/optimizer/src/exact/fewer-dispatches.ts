import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "../environment.ts";
import { fromLabels, type Partition } from "../partition.ts";
import { makespan } from "../simulate.ts";
import { verify } from "../verify.ts";

/**
 * Merges parts as long as the plan ends no later, and leaves out a dispatch order that list scheduling does not need.
 * For small partitions: O(parts³) verifications at most.
 */
export function fewerDispatches(view: PlanView, environment: ExecutionEnvironment, start: Partition): Partition {
  const limit = makespan(view, environment, start);
  const { part, count } = start;
  const asWell = (partition: Partition) =>
    verify(view, environment, partition).length === 0 && makespan(view, environment, partition) <= limit;
  let best: Partition = start;
  if (start.order !== undefined) {
    if (!asWell({ part, count })) return start;
    best = { part, count };
  }
  for (let p = 0; p < best.count; p++) {
    for (let q = p + 1; q < best.count; ) {
      const merged = fromLabels(best.part.map((each) => (each === q ? p : each)));
      if (asWell(merged)) best = merged;
      else q++;
    }
  }
  return best;
}
