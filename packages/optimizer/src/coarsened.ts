import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "./environment.ts";
import { mergeBound } from "./merge-bound.ts";
import { fromLabels, type Partition } from "./partition.ts";
import { quotient } from "./quotient.ts";
import { makespan } from "./simulate.ts";
import { verify } from "./verify.ts";

/** Merges tried from each grouping. */
const MERGES = 60;
/** Groupings of more parts are not merged one by one. */
const MOST_PARTS = 200;

/**
 * The grouping with one part less at a time: the lightest part joins the one with which the plan ends first, of equals the one of the lowest number. At most O(parts) simulations a merge.
 * @param simulations after which no further merge is begun.
 */
export function* coarsened(
  view: PlanView,
  environment: ExecutionEnvironment,
  start: Partition,
  simulations = Number.POSITIVE_INFINITY,
): Generator<Partition> {
  let current: Partition = { part: start.part, count: start.count };
  let simulated = 0;
  for (let step = 0; step < MERGES && current.count > 1 && current.count <= MOST_PARTS; step++) {
    if (simulated >= simulations) return;
    const graph = quotient(view, current);
    const lightest = graph.work.indexOf(Math.min(...graph.work));
    const atLeast = mergeBound(graph, environment);
    const others = Array.from({ length: current.count }, (_, p) => ({ p, boundMs: atLeast(lightest, p) }))
      .filter(({ p }) => p !== lightest)
      .sort((left, right) => left.boundMs - right.boundMs);
    let best: { partition: Partition; makespanMs: number; p: number } | undefined;
    for (const { p, boundMs } of others) {
      // Sums of the same numbers in another order may differ in the last digits.
      if (best !== undefined && boundMs > best.makespanMs * (1 + 1e-9)) break;
      const partition = fromLabels(current.part.map((own) => (own === lightest ? p : own)));
      const makespanMs = makespan(view, environment, partition);
      simulated++;
      const better =
        best === undefined || makespanMs < best.makespanMs || (makespanMs === best.makespanMs && p < best.p);
      if (better && verify(view, environment, partition).length === 0) best = { partition, makespanMs, p };
    }
    if (best === undefined) return;
    current = best.partition;
    yield current;
  }
}
