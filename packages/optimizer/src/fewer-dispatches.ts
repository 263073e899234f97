import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "./environment.ts";
import { mergeBound } from "./merge-bound.ts";
import { fromLabels, type Partition } from "./partition.ts";
import { quotient } from "./quotient.ts";
import { makespan } from "./simulate.ts";
import { verify } from "./verify.ts";

/** Simulations that are left. */
export interface MergeBudget {
  left: number;
}

/**
 * What looking for merges may simulate, in simulations times tasks: up to a second. Plans of up to 64 tasks never need as much. Without overhead nearly every pair has to be simulated to
 * see that it ends later: plans of 400 to 600 tasks took more than 30 s before there was a limit, for makespans that differ by 0.02 % at most and dispatches that cost nothing there.
 */
const MOST_STEPS = 8_000_000;

/** What looking for merges may simulate in a plan, several times together where it is handed on. */
export function mergeBudget({ n }: PlanView): MergeBudget {
  return { left: Math.ceil(MOST_STEPS / Math.max(1, n)) };
}

/**
 * Merges parts, lightest first, as long as the plan ends no later, and leaves out a dispatch order that list scheduling does not need; a placement is
 * left out with it, or kept from being merged. No two parts of the result can be merged without loss, unless it took too many simulations to find out. A pair is simulated if its bound
 * allows it: O(parts²) steps a merge and in practice a few simulations for each.
 * @param until `Date.now()` at which to stop.
 * @param budget is used up
 */
export function fewerDispatches(
  view: PlanView,
  environment: ExecutionEnvironment,
  start: Partition,
  until = Number.POSITIVE_INFINITY,
  budget: MergeBudget = mergeBudget(view),
): Partition {
  const limit = makespan(view, environment, start);
  const asWell = (partition: Partition) => {
    budget.left--;
    return makespan(view, environment, partition) <= limit && verify(view, environment, partition).length === 0;
  };
  const isOver = () => budget.left <= 0 || Date.now() >= until;
  let best = start;
  if (start.order !== undefined) {
    const { part, count } = start;
    if (asWell({ part, count })) best = { part, count };
    else if (start.placement !== undefined) return start;
  }
  // Parts that could not be merged before a merge hardly ever can after it: they are looked at again when the heavier ones have been.
  let from = 0;
  for (;;) {
    const found = nextMerge(view, environment, best, limit, from, asWell, isOver);
    if (found === undefined && (from === 0 || isOver())) return best;
    best = found?.merged ?? best;
    from = found?.from ?? 0;
  }
}

/** The first merge that loses nothing. @param from skips so many of the lightest parts @returns the merge, and where the next search begins */
function nextMerge(
  view: PlanView,
  environment: ExecutionEnvironment,
  best: Partition,
  limit: number,
  from: number,
  asWell: (partition: Partition) => boolean,
  isOver: () => boolean,
): { readonly merged: Partition; readonly from: number } | undefined {
  const graph = quotient(view, best);
  const atLeast = mergeBound(graph, environment);
  const byWork = Array.from({ length: best.count }, (_, p) => p).sort(
    (one, two) => graph.work[one]! - graph.work[two]!,
  );
  for (let first = from; first < byWork.length; first++) {
    for (let second = first + 1; second < byWork.length; second++) {
      const [p, q] = [byWork[first]!, byWork[second]!];
      if (atLeast(p, q) > limit * (1 + 1e-9)) continue;
      if (isOver()) return undefined;
      for (const merged of mergers(best, p, q)) if (asWell(merged)) return { merged, from: first };
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
