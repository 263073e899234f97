import type { ReportTable } from "./bench-report.ts";
import type { BenchRow } from "./row.ts";
import { geometricMean, groupBy } from "./statistics/means.ts";

/** What most readers came for: what the default is worth in each environment, and who is best there. */
export function glanceTable(rows: readonly BenchRow[]): ReportTable {
  const meanOf = (group: readonly BenchRow[], strategy: string) => {
    const own = group.filter((row) => row.strategy === strategy);
    return own.length === 0 ? undefined : geometricMean(own.map((row) => row.ratio));
  };
  const shown = (ratio: number | undefined) => (ratio === undefined ? "" : `${ratio.toFixed(3)}`);
  const table = [...groupBy(rows, (row) => row.environment)].map(([environment, group]) => {
    const plans = new Set(group.map((row) => row.workload)).size;
    const means = [...groupBy(group, (row) => row.strategy)]
      .filter(([, own]) => new Set(own.map((row) => row.workload)).size === plans)
      .map(([strategy]) => ({ strategy, mean: meanOf(group, strategy)! }))
      .sort((left, right) => left.mean - right.mean);
    const portfolio = group.filter((row) => row.strategy === "portfolio");
    const perTask = new Map(
      group.filter((row) => row.strategy === "per-task").map((row) => [row.workload, row.makespanMs]),
    );
    const faster = portfolio.flatMap((row) => {
      const base = perTask.get(row.workload);
      return base === undefined || row.makespanMs === 0 ? [] : [base / row.makespanMs];
    });
    const best = means[0];
    return [
      environment,
      plans,
      best === undefined ? "" : `${best.strategy} ${best.mean.toFixed(3)}`,
      shown(meanOf(group, "portfolio")),
      shown(meanOf(group, "per-task")),
      faster.length === 0 ? "" : `${geometricMean(faster).toFixed(2)}×`,
      portfolio.length === 0
        ? ""
        : geometricMean(portfolio.map((row) => row.dispatches / Math.max(1, row.tasks))).toFixed(2),
    ];
  });
  return {
    title: "At a glance",
    note: "Makespan over the proved lower bound, geometric mean over plans; 1 is the best there can be. The portfolio is the default: so many times faster than one dispatch a task, with so many dispatches a task.",
    columns: ["environment", "plans", "best on all plans", "portfolio", "per-task", "faster", "dispatches/task"],
    rows: table,
  };
}
