import type { BenchReport } from "../bench-report.ts";
import { comparisons } from "../statistics/comparison.ts";
import { adversarialHeatmap } from "./adversarial-matrix.ts";
import { criticalDifferences } from "./critical-difference.ts";
import type { FigureGroup } from "./drawing.ts";
import { gapAgainstSize } from "./gap-against-size.ts";
import { paretoPlot } from "./pareto-plot.ts";
import { performanceProfiles } from "./performance-profiles.ts";
import { schedulePlot } from "./schedule-plot.ts";

/** The plots that a report has, in the order in which they are shown: on its page and as files for a paper. */
export function reportFigures({ rows, pareto, gantt, adversarial }: BenchReport): FigureGroup[] {
  const compared = comparisons(rows);
  return [
    ...(rows.length === 0 ? [] : [performanceProfiles(rows), gapAgainstSize(rows)]),
    ...(compared.length === 0 ? [] : [criticalDifferences(compared)]),
    ...(pareto === undefined || pareto.front.length === 0 ? [] : [paretoPlot(pareto)]),
    ...(gantt === undefined ? [] : [schedulePlot(gantt)]),
    ...(adversarial === undefined ? [] : [adversarialHeatmap(adversarial)]),
  ];
}
