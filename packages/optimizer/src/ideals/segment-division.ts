import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "../environment.ts";
import { fromLabels, type Partition } from "../partition.ts";
import { GrowingPart } from "./executor-time.ts";

/**
 * The division of the plan's topological order into runs with the least executor time, fewest runs on ties: exact for
 * chains. A task that no dispatch takes is a part alone. O(n² + n m).
 */
export function segmentDivision(view: PlanView, environment: ExecutionEnvironment): Partition {
  const { n, topo } = view;
  const cost = new Float64Array(n + 1).fill(Number.POSITIVE_INFINITY);
  const runs = new Int32Array(n + 1);
  const from = new Int32Array(n + 1);
  cost[0] = 0;
  const growing = new GrowingPart(view, environment);
  for (let start = 0; start < n; start++) {
    growing.clear();
    for (let end = start + 1; end <= n; end++) {
      growing.add(topo[end - 1]!);
      const own = growing.cost();
      if (own === Number.POSITIVE_INFINITY && end > start + 1) break;
      // A task beyond the limits is as dear as can be, and still has to be somewhere.
      const total = cost[start]! + Math.min(own, Number.MAX_VALUE / (n + 1));
      if (total < cost[end]! || (total === cost[end] && runs[start]! + 1 < runs[end]!)) {
        cost[end] = total;
        runs[end] = runs[start]! + 1;
        from[end] = start;
      }
    }
  }
  const labels = new Int32Array(n);
  for (let end = n; end > 0; end = from[end]!) {
    for (let at = from[end]!; at < end; at++) labels[topo[at]!] = runs[end]! - 1;
  }
  return fromLabels(labels);
}
