import type { ReportTable } from "./bench-report.ts";
import type { Comparison } from "./statistics/comparison.ts";

/** What can be said of strategies beyond their means, one table an environment. */
export function comparisonTables(comparisons: readonly Comparison[]): ReportTable[] {
  return comparisons.map(({ environment, plans, missing, friedman, groups, strategies }) => {
    const { statistic, p, f, fP, criticalDifference } = friedman;
    const left = missing.length === 0 ? "" : ` Without rows for all plans, and left out: ${missing.join(", ")}.`;
    const alike = groups.map((group) => group.join(", ")).join("; ");
    return {
      title: `Differences, ${environment}`,
      note: `${plans} plans, makespan. Friedman chi-squared ${statistic.toFixed(2)}, p ${chance(p)}; Iman-Davenport F ${Number.isFinite(f) ? f.toFixed(2) : "infinite"}, p ${chance(fP)}. Mean ranks differ at 0.05 where they are ${criticalDifference.toFixed(3)} apart (Nemenyi).${alike === "" ? "" : ` Not told apart: ${alike}.`} Over the best: geometric mean with its 95 % interval, and Wilcoxon's signed-rank test of the logarithms after Holm.${left}`,
      columns: ["strategy", "mean rank", "over the best", "from", "to", "Wilcoxon p"],
      rows: strategies.map(({ strategy, rank, over, p: own }, at) => [
        strategy,
        rank.toFixed(2),
        over.mean.toFixed(3),
        over.low.toFixed(3),
        over.high.toFixed(3),
        at === 0 ? "" : chance(own),
      ]),
    };
  });
}

function chance(p: number): string {
  return p < 0.0001 ? "< 0.0001" : p.toFixed(4);
}
