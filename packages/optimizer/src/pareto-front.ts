import type { PlanView } from "@planloom/plan";
import { type Candidate, candidates } from "./candidate.ts";
import { canonicalPlan } from "./canonical-plan.ts";
import { checkOptions } from "./check-options.ts";
import { coarsened } from "./coarsened.ts";
import type { ExecutionEnvironment } from "./environment.ts";
import { expectedRework, totalTokens } from "./metrics.ts";
import type { Partition } from "./partition.ts";
import { mergeStarts } from "./search/refine.ts";
import { makespan } from "./simulate.ts";
import { portfolio } from "./strategies/portfolio.ts";
import type { ProposeOptions } from "./strategy.ts";

/** A grouping of the front: no other one is better on every axis. */
export interface ParetoPoint {
  /** The strategy that it comes from. */
  readonly strategy: string;
  readonly partition: Partition;
  readonly makespanMs: number;
  readonly dispatches: number;
  readonly tokens: number;
  readonly expectedReworkMs: number;
}

/** What each of the axes of the front counts; less is better. */
export type ParetoAxis = "makespanMs" | "dispatches" | "tokens" | "expectedReworkMs";

/**
 * Groupings to choose among: of all that the portfolio proposes, and of what greedy merging makes of the best of them one dispatch less at
 * a time, those that no other beats on every axis. It is the front of the groupings that were looked at, not of all possible ones. Shortest first.
 * O((n + m) log n) a grouping.
 */
export function paretoFront(
  view: PlanView,
  environment: ExecutionEnvironment,
  options: ProposeOptions,
  axes: readonly ParetoAxis[] = ["makespanMs", "dispatches", "expectedReworkMs"],
): ParetoPoint[] {
  checkOptions("`paretoFront`", options, {
    seed: "number",
    deadlineMs: "positive",
    evaluations: "positive",
    signal: "signal",
  });
  const points = new Map<string, ParetoPoint>();
  const offer = (strategy: string, partition: Partition) => {
    const key = partition.part.length <= 4096 ? partition.part.join() : `${strategy} ${partition.count}`;
    if (points.has(key)) return;
    points.set(key, {
      strategy,
      partition,
      makespanMs: makespan(view, environment, partition),
      dispatches: partition.count,
      tokens: totalTokens(view, environment, partition),
      expectedReworkMs: expectedRework(view, environment, partition),
    });
  };
  const proposed = candidates(portfolio, view, environment, options);
  for (const { strategy, partition } of proposed) offer(strategy.name, partition);
  // The same groupings are merged as by the portfolio itself, so that its answer is a point of the front.
  const own = proposed[0]!;
  const members = proposed.filter(({ strategy }) => strategy.refine === undefined);
  const canonical = canonicalPlan(view);
  const entered = (each: Candidate) => ({ each, partition: canonical.enter(each.partition) });
  const merged = mergeStarts(view, members.map(entered));
  const named = new Map([...members, own].map(entered).map(({ each, partition }) => [partition.part.join(), each]));
  for (const partition of [canonical.enter(own.partition), ...merged]) {
    const { strategy } = named.get(partition.part.join()) ?? own;
    for (const coarser of coarsened(canonical.view, environment, partition))
      offer(strategy.name, canonical.leave(coarser));
  }
  const all = [...points.values()];
  const beats = (left: ParetoPoint, right: ParetoPoint) =>
    axes.every((axis) => left[axis] <= right[axis]) && axes.some((axis) => left[axis] < right[axis]);
  const front = all.filter((point) => !all.some((other) => beats(other, point)));
  // Of points equal in every axis one is enough.
  const seen = new Set<string>();
  const distinct = front.filter((point) => {
    const key = axes.map((axis) => point[axis]).join(" ");
    return !seen.has(key) && seen.add(key);
  });
  return distinct.sort((left, right) => left.makespanMs - right.makespanMs || left.dispatches - right.dispatches);
}
