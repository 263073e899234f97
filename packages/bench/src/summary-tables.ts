import type { ReportTable } from "./bench-report.ts";
import type { BenchRow } from "./row.ts";
import { geometricMean, groupBy, quantile } from "./statistics/means.ts";

/** Makespan over bound by strategy for every environment, those that took on all plans first, best first; geometric means, never arithmetic ones. */
export function strategyTables(rows: readonly BenchRow[]): ReportTable[] {
  return [...groupBy(rows, (row) => row.environment)].map(([environment, group]) => {
    const best = new Map<string, number>();
    for (const row of group) best.set(row.workload, Math.min(best.get(row.workload) ?? Infinity, row.makespanMs));
    const table = [...groupBy(group, (row) => row.strategy)].map(([strategy, own]) => {
      const ratios = own.map((row) => row.ratio);
      return {
        strategy,
        plans: new Set(own.map((row) => row.workload)).size,
        mean: geometricMean(ratios),
        worst: Math.max(...ratios),
        wins: own.filter((row) => row.makespanMs <= best.get(row.workload)! * (1 + 1e-9)).length,
        dispatches: geometricMean(own.map((row) => row.dispatches / Math.max(1, row.tasks))),
        noisy: geometricMean(own.filter((row) => row.boundMs > 0).map((row) => row.noisyMs["1"] / row.boundMs)),
        unknown: geometricMean(
          own.flatMap(({ boundMs, unknownMs }) => (boundMs > 0 && unknownMs !== null ? [unknownMs / boundMs] : [])),
        ),
        slowest: quantile(
          own.map((row) => row.optimizeMs),
          1,
        ),
      };
    });
    // Means over fewer plans are not to be compared with those over all.
    table.sort((left, right) => right.plans - left.plans || left.mean - right.mean);
    return {
      title: `Strategies, ${environment}`,
      note: "Makespan over the best proved bound (geometric mean, worst), plans on which nothing was better, dispatches a task, makespan with runtimes off by sigma 1 over the bound, the same when grouped as if all tasks took the same (plans of up to 2,500 tasks), longest wall time of the strategy.",
      columns: [
        "strategy",
        "plans",
        "mean",
        "worst",
        "wins",
        "dispatches/task",
        "sigma 1",
        "unknown work",
        "slowest ms",
      ],
      rows: table.map(({ strategy, plans, mean, worst, wins, dispatches, noisy, unknown, slowest }) => [
        strategy,
        plans,
        mean.toFixed(3),
        worst.toFixed(2),
        wins,
        dispatches.toFixed(2),
        noisy.toFixed(2),
        unknown.toFixed(2),
        slowest.toFixed(0),
      ]),
    };
  });
}

/** The same for one strategy by family, so that tuning to a family shows. */
export function familyTable(rows: readonly BenchRow[], strategy: string): ReportTable | undefined {
  const own = rows.filter((row) => row.strategy === strategy);
  if (own.length === 0) return undefined;
  const environments = [...new Set(own.map((row) => row.environment))];
  return {
    title: `${strategy} by family`,
    note: "Makespan over the best proved bound, geometric mean.",
    columns: ["family", "plans", ...environments],
    rows: [...groupBy(own, (row) => row.family)].map(([family, group]) => [
      family,
      new Set(group.map((row) => row.workload)).size,
      ...environments.map((environment) =>
        geometricMean(group.filter((row) => row.environment === environment).map((row) => row.ratio)).toFixed(3),
      ),
    ]),
  };
}

/** Which bound held how often. */
export function boundTable(rows: readonly BenchRow[]): ReportTable {
  const once = [...groupBy(rows, (row) => `${row.workload} ${row.environment}`).values()].map((group) => group[0]!);
  return {
    title: "What proves the bound",
    note: "One row a workload and environment.",
    columns: ["bound", "times"],
    rows: [...groupBy(once, (row) => row.boundBy)]
      .map(([by, group]): [string, number] => [by, group.length])
      .sort((left, right) => right[1] - left[1]),
  };
}
