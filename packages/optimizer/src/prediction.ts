import type { PlanView, SubGraph } from "@planloom/plan";
import { lowerBoundsWaiting } from "./bounds/lower-bounds.ts";
import type { Candidate } from "./candidate.ts";
import type { ExecutionEnvironment } from "./environment.ts";
import { expectedRework, totalTokens } from "./metrics.ts";
import { dispatchOrder, subGraphs } from "./sub-graphs.ts";
import { runningOrder, type WaitTimes } from "./timed-waits.ts";

/** A grouping with what it is predicted to cost, and how far from the best it can be. */
export interface Prediction {
  /** In a topological order; every task of the plan in exactly one. */
  readonly subgraphs: SubGraph[];
  /**
   * Ids of the subgraphs in the order in which they are to be dispatched, none overtaking another, where the prediction rests on
   * that; for the runtime's option of the same name. If absent, ready subgraphs start in the order of their longest remaining paths.
   */
  readonly dispatchOrder?: readonly string[];
  /** The executor of each subgraph, numbered from 0, class by class, where the prediction rests on that; the runtime does not look at it. */
  readonly placement?: readonly number[];
  /** Simulated makespan, in milliseconds. */
  readonly predictedMs: number;
  /** What no grouping can beat in this environment, in milliseconds. */
  readonly lowerBoundMs: number;
  /** What proves that: the name of a bound in docs/optimizer/bounds.md, or the search of a strategy. */
  readonly boundBy: string;
  /** Why it is that long, for a person. */
  readonly boundWitness: string;
  /** `predictedMs / lowerBoundMs`, at least 1; 1 when nothing takes any time. */
  readonly ratio: number;
  /** The ratio is 1: no grouping ends earlier, and that is proved. */
  readonly proved: boolean;
  /** The makespan together with what else the options weigh. */
  readonly objective: number;
  readonly dispatches: number;
  /** Prompt tokens of all dispatches. */
  readonly tokens: number;
  /** Executor time that failures are expected to cost again, in milliseconds, to first order. */
  readonly expectedReworkMs: number;
  readonly environment: ExecutionEnvironment;
}

/**
 * The figures of the grouping that was kept.
 * @param known candidates for the same plan and environment: what one of them has proved holds for all.
 * @param score the objective of a candidate.
 * @param waits how long the waits of the plan are, which the view does not know
 */
export function predict(
  view: PlanView,
  tasks: Parameters<typeof subGraphs>[1],
  environment: ExecutionEnvironment,
  kept: Candidate,
  known: readonly Candidate[],
  score: (each: Candidate) => number,
  waits: WaitTimes | undefined,
): Prediction {
  const { partition, metrics } = kept;
  const subgraphs = subGraphs(view, tasks, partition, runningOrder(view, environment, waits));
  const bound = tightestBound(view, environment, [kept, ...known], waits);
  return {
    subgraphs,
    ...dispatchOrder(partition, subgraphs),
    predictedMs: metrics.makespanMs,
    lowerBoundMs: bound.ms,
    boundBy: bound.by,
    boundWitness: bound.witness,
    ratio: bound.ms === 0 ? 1 : metrics.makespanMs / bound.ms,
    proved: metrics.makespanMs <= bound.ms,
    objective: score(kept),
    dispatches: partition.count,
    tokens: totalTokens(view, environment, partition),
    expectedReworkMs: expectedRework(view, environment, partition),
    environment,
  };
}

function tightestBound(
  view: PlanView,
  environment: ExecutionEnvironment,
  known: readonly Candidate[],
  waits: WaitTimes | undefined,
) {
  const { name, ms, witness } = lowerBoundsWaiting(view, environment, waits).best;
  let best = { by: name as string, ms, witness };
  for (const { strategy, partition } of known) {
    const { provedMs = 0 } = partition;
    if (provedMs <= best.ms) continue;
    best = { by: `search of ${strategy.name}`, ms: provedMs, witness: "no grouping is left that could end earlier" };
  }
  // Sums of the same numbers in another order may differ in the last digit.
  return { ...best, ms: Math.min(best.ms, ...known.map(({ metrics }) => metrics.makespanMs)) };
}
