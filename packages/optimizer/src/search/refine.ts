import type { PlanView } from "@planloom/plan";
import { canonicalPlan } from "../canonical-plan.ts";
import { coarsened } from "../coarsened.ts";
import { type ExecutionEnvironment, isPlain } from "../environment.ts";
import { fewerDispatches, mergeBudget } from "../fewer-dispatches.ts";
import { lowerBound } from "../lower-bound.ts";
import type { Partition } from "../partition.ts";
import { makespan } from "../simulate.ts";
import type { Grouped, ProposeOptions } from "../strategy.ts";
import { improve } from "./improve.ts";

/** Larger plans are left as the strategies group them. */
const MOST_TASKS = 2500;
/** Up to so many tasks all candidates are merged step by step, beyond the best alone. */
const MERGED_TASKS = 64;
/** What the search may cost, in changes times tasks: some 60 ms, and the same answer on every machine. Half of it found 1 % less in the mean, twice as much 0.5 % more. */
const SEARCH = 1_500_000;
/** What a change costs where the whole dispatch is simulated for it, in changes of which only durations are added up. It took some 30 times as much for plans of 40 tasks. */
const SIMULATED = 4;
/** Changes a task in one search: a small plan has few groupings, and comes upon the same ones again. */
const CHANGES_PER_TASK = 500;
/** The search begins with the two best groupings that differ, and then with the best there is by then. */
const SEARCHES = 3;
/** Cooler than a search of a second: there is no time to come back from far. */
const HEAT = 0.01;

/** The groupings that are merged step by step, by a portfolio and for its front. */
export function mergeStarts(view: PlanView, sorted: readonly Pick<Grouped, "partition">[]): readonly Partition[] {
  return view.n <= MERGED_TASKS ? starts(sorted) : starts(sorted).slice(0, 1);
}

/** Each grouping once. */
function starts(sorted: readonly Pick<Grouped, "partition">[]): readonly Partition[] {
  return [...new Map(sorted.map(({ partition }) => [partition.part.join(), partition])).values()];
}

/**
 * The best candidate changed at random for a fixed number of steps, then merged as far as it ends no later; or what merging the candidates step by step comes
 * upon, if that is better. So a portfolio keeps no grouping that its own front dominates. `undefined` where nothing is found.
 * @param sorted candidates, best first, at least one.
 */
export function refine(
  plan: PlanView,
  environment: ExecutionEnvironment,
  sorted: readonly Grouped[],
  { deadlineMs, signal }: ProposeOptions,
): Partition | undefined {
  const first = sorted[0]!;
  if (plan.n < 2 || plan.n > MOST_TASKS) return undefined;
  const { view, enter, leave } = canonicalPlan(plan);
  const until = Date.now() + deadlineMs;
  const entered = sorted.map(({ partition }) => ({ partition: enter(partition) }));
  const unchanged = entered[0]!.partition;
  let best = { partition: unchanged, makespanMs: first.metrics.makespanMs };
  const offer = (partition: Partition, makespanMs = makespan(view, environment, partition)) => {
    if (makespanMs > best.makespanMs) return;
    if (makespanMs < best.makespanMs || partition.count < best.partition.count) best = { partition, makespanMs };
  };
  const proved = Math.max(...sorted.map(({ partition }) => partition.provedMs ?? 0));
  const boundMs = proved >= best.makespanMs ? proved : Math.max(lowerBound(view, environment), proved);
  const cost = environment.semantics !== "streaming" && isPlain(environment) ? 1 : SIMULATED;
  const steps = Math.floor(Math.min(SEARCH / view.n / SEARCHES, CHANGES_PER_TASK * view.n) / cost);
  const distinct = starts(entered);
  for (let at = 0; at < SEARCHES && best.makespanMs > boundMs && Date.now() < until; at++) {
    const start = at < SEARCHES - 1 ? (distinct[at] ?? best.partition) : best.partition;
    const search = { seed: at + 1, steps, until, boundMs, heat: HEAT, ...(signal === undefined ? {} : { signal }) };
    const found = improve(view, environment, start, search);
    offer(found.partition, found.makespanMs);
  }
  for (const start of mergeStarts(view, entered)) {
    for (const coarser of coarsened(view, environment, start)) {
      offer(coarser);
      if (Date.now() >= until) break;
    }
  }
  const merging = mergeBudget(view);
  for (;;) {
    const before = best;
    offer(fewerDispatches(view, environment, best.partition, until, merging));
    for (const coarser of coarsened(view, environment, best.partition)) offer(coarser);
    if (best === before || Date.now() >= until) break;
  }
  return best.partition === unchanged ? undefined : leave(best.partition);
}
