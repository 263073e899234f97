import type { BenchRow } from "../row.ts";
import { groupBy } from "../statistics/means.ts";
import { axis, type FigureGroup, seriesColours } from "./drawing.ts";

/** Gap to the proved bound of the best strategy on each plan, by the size of the plan. */
export function gapAgainstSize(rows: readonly BenchRow[]): FigureGroup {
  const best = [...groupBy(rows, (row) => `${row.workload} ${row.environment}`).values()].map((group) =>
    group.reduce((least, row) => (row.makespanMs < least.makespanMs ? row : least)),
  );
  const environments = [...new Set(best.map((row) => row.environment))];
  const colourOf = (environment: string) => seriesColours[environments.indexOf(environment) % seriesColours.length]!;
  const points = best.map((row) => ({ ...row, gap: Math.max(0, row.ratio - 1) }));
  const sizes = points.map(({ tasks }) => tasks);
  // Within one power of ten a logarithmic axis would have a number or none.
  const type = Math.max(...sizes) >= 10 * Math.min(...sizes) ? "log" : "linear";
  const digits = Math.max(...points.map(({ gap }) => gap)) < 0.05 ? 1 : 0;
  const proved = best.filter((row) => row.ratio <= 1 + 1e-9).length;
  return {
    id: "gap",
    title: "Gap to the bound, by size",
    note: `How much longer than the proved lower bound the best grouping of each plan takes; the bound is as much to blame as the grouping. ${proved} of ${best.length} are proved to be the best there is.`,
    legend: environments.map((name) => ({ name, colour: colourOf(name), shape: "ring" })),
    figures: [
      {
        title: "",
        label: `Gap of the best grouping to the lower bound against the number of tasks, ${best.length} plans and environments.`,
        options: (plot, width) => ({
          height: width < 500 ? 280 : 340,
          marginLeft: 48,
          marginRight: 12,
          marginBottom: 42,
          x: axis("tasks", { type, labelAnchor: "center", ticks: width < 500 ? 3 : 6 }),
          y: axis("gap", { ticks: 6, tickFormat: (value: number) => `${(value * 100).toFixed(digits)}%` }),
          marks: [
            plot.ruleY([0]),
            plot.dot(points, {
              x: "tasks",
              y: "gap",
              stroke: (row: BenchRow) => colourOf(row.environment),
              strokeWidth: 1.5,
              r: 3.5,
              title: (row: BenchRow) =>
                `${row.workload}\n${row.environment}\n${row.strategy}: ${(row.ratio * 100 - 100).toFixed(1)}% over ${row.boundBy}`,
            }),
          ],
        }),
      },
    ],
  };
}
