import type { BenchRow } from "../row.ts";
import { geometricInterval } from "./confidence.ts";
import { type Friedman, friedman, indistinguishable } from "./friedman.ts";
import { groupBy } from "./means.ts";
import { holm, wilcoxonSignedRank } from "./wilcoxon.ts";

/** Strategies on the same plans in one environment. */
export interface Comparison {
  readonly environment: string;
  /** Those that took on all plans, by mean rank, best first. */
  readonly strategies: readonly ComparedStrategy[];
  /** Those left out because a plan was too large for them or they lost a row. */
  readonly missing: readonly string[];
  readonly plans: number;
  readonly friedman: Friedman;
  /** Runs of strategies between which the critical difference shows none, by name, best first. */
  readonly groups: readonly (readonly string[])[];
}

export interface ComparedStrategy {
  readonly strategy: string;
  readonly rank: number;
  /** Its makespan over that of the best by rank: geometric mean and 95 % interval; 1 for the best itself. */
  readonly over: { readonly mean: number; readonly low: number; readonly high: number };
  /** Chance of a difference to the best as large by accident: Wilcoxon's signed-rank test of the logarithms, after Holm. */
  readonly p: number;
}

/** Fewer plans or strategies say nothing. */
const LEAST_PLANS = 5;

/** One comparison for each environment in which at least five plans were tried with at least two strategies; means over seeds are compared. */
export function comparisons(rows: readonly BenchRow[]): Comparison[] {
  return [...groupBy(rows, (row) => row.environment)].flatMap(
    ([environment, group]) => compare(environment, group) ?? [],
  );
}

function compare(environment: string, rows: readonly BenchRow[]): Comparison | undefined {
  const plans = [...new Set(rows.map((row) => row.workload))];
  const all = [...groupBy(rows, (row) => row.strategy)].map(([strategy, own]) => {
    const byPlan = groupBy(own, (row) => row.workload);
    const values = plans.map((plan) => {
      const seeds = byPlan.get(plan) ?? [];
      return seeds.reduce((sum, row) => sum + row.makespanMs, 0) / seeds.length;
    });
    return { strategy, values };
  });
  const isWhole = ({ values }: { values: readonly number[] }) => !values.some(Number.isNaN);
  const whole = all.filter(isWhole);
  if (plans.length < LEAST_PLANS || whole.length < 2) return undefined;
  const test = friedman(plans.map((_, plan) => whole.map(({ values }) => values[plan]!)));
  const order = whole.map((_, at) => at).sort((left, right) => test.ranks[left]! - test.ranks[right]!);
  const best = whole[order[0]!]!.values;
  const logs = order.map((at) =>
    whole[at]!.values.map((value, plan) => Number(Math.log(ratio(value, best[plan]!)).toPrecision(10))),
  );
  const chances = holm(logs.slice(1).map((each) => wilcoxonSignedRank(each.map(withoutNoise)).p));
  return {
    environment,
    plans: plans.length,
    missing: all.filter((each) => !isWhole(each)).map(({ strategy }) => strategy),
    friedman: test,
    groups: indistinguishable(test).map((group) => group.map((at) => whole[at]!.strategy)),
    strategies: order.map((at, place) => ({
      strategy: whole[at]!.strategy,
      rank: test.ranks[at]!,
      over: geometricInterval(logs[place]!.map(Math.exp)),
      p: place === 0 ? 1 : chances[place - 1]!,
    })),
  };
}

const ratio = (value: number, best: number) => (value === best ? 1 : Math.max(1e-9, value) / Math.max(1e-9, best));
/** Sums of the same numbers in another order differ in the last digits. */
const withoutNoise = (log: number) => (Math.abs(log) < 1e-10 ? 0 : log);
