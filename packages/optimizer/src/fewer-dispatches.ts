import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "./environment.ts";
import { mergeBound } from "./merge-bound.ts";
import { fromLabels, type Partition } from "./partition.ts";
import { quotient } from "./quotient.ts";
import { makespan } from "./simulate.ts";
import { verify } from "./verify.ts";

/**
 * Merges parts, lightest first, as long as the plan ends no later, and leaves out a dispatch order that list scheduling does not need; a placement is
 * left out with it, or kept from being merged. No two parts of the result can be merged without loss. A pair is simulated if its bound allows it: O(parts²) steps a
 * merge and in practice a few simulations for each.
 * @param until `Date.now()` at which to stop.
 */
export function fewerDispatches(
  view: PlanView,
  environment: ExecutionEnvironment,
  start: Partition,
  until = Number.POSITIVE_INFINITY,
): Partition {
  const limit = makespan(view, environment, start);
  const asWell = (partition: Partition) =>
    makespan(view, environment, partition) <= limit && verify(view, environment, partition).length === 0;
  let best = start;
  if (start.order !== undefined) {
    const { part, count } = start;
    if (asWell({ part, count })) best = { part, count };
    else if (start.placement !== undefined) return start;
  }
  for (;;) {
    const merged = firstMerge(view, environment, best, limit, asWell, until);
    if (merged === undefined) return best;
    best = merged;
  }
}

function firstMerge(
  view: PlanView,
  environment: ExecutionEnvironment,
  best: Partition,
  limit: number,
  asWell: (partition: Partition) => boolean,
  until: number,
): Partition | undefined {
  const graph = quotient(view, best);
  const atLeast = mergeBound(graph, environment);
  const byWork = Array.from({ length: best.count }, (_, p) => p).sort(
    (one, two) => graph.work[one]! - graph.work[two]!,
  );
  for (let first = 0; first < byWork.length; first++) {
    if (Date.now() >= until) return undefined;
    for (let second = first + 1; second < byWork.length; second++) {
      const [p, q] = [byWork[first]!, byWork[second]!];
      if (atLeast(p, q) > limit * (1 + 1e-9)) continue;
      for (const merged of mergers(best, p, q)) if (asWell(merged)) return merged;
    }
  }
  return undefined;
}

/** `q` joined to `p`; with an order in the place of the one and of the other. */
function* mergers({ part, order }: Partition, p: number, q: number): Iterable<Partition> {
  const merged = fromLabels(part.map((each) => (each === q ? p : each)));
  if (order === undefined) {
    yield merged;
    return;
  }
  const number = new Int32Array(order.length);
  for (let v = 0; v < part.length; v++) number[part[v]!] = merged.part[v]!;
  for (const left of [q, p]) {
    yield { ...merged, order: order.filter((own) => own !== left).map((own) => number[own]!) };
  }
}
