import type { AdversarialMatrix, BenchReport, GanttChart, ReportTable } from "./bench-report.ts";
import { matrixTable } from "./markdown-report.ts";
import type { BenchRow } from "./row.ts";
import { groupBy } from "./statistics.ts";
import { environmentName } from "./summary-tables.ts";

/**
 * The report as one HTML file without scripts or outside resources: plots as SVG, made by Observable Plot on a DOM of
 * linkedom. Both are optional peer dependencies of this package.
 * @throws Node's module-not-found error where one of them is missing.
 */
export async function htmlReport(report: BenchReport): Promise<string> {
  const plots = await loadPlots();
  const figures = [
    ...performanceProfiles(report.rows).map((chart) => figure(chart.title, chart.note, plots(chart.options))),
    ...(report.rows.length > 0 ? [figure("Gap against size", gapNote, plots(gapAgainstSize(report.rows)))] : []),
    ...paretoFronts(report.rows).map((chart) => figure(chart.title, chart.note, plots(chart.options))),
    ...(report.gantt === undefined ? [] : [figure(report.gantt.title, ganttNote, plots(gantt(report.gantt)))]),
    ...(report.adversarial === undefined
      ? []
      : [figure("Adversarial search", matrixTable(report.adversarial).note, plots(heatmap(report.adversarial)))]),
  ];
  return page(report, figures);
}

type Plot = typeof import("@observablehq/plot");
type PlotOptions = import("@observablehq/plot").PlotOptions;
interface Chart {
  readonly title: string;
  readonly note: string;
  readonly options: (plot: Plot) => PlotOptions;
}

async function loadPlots(): Promise<(options: (plot: Plot) => PlotOptions) => string> {
  const [plot, { parseHTML }] = await Promise.all([import("@observablehq/plot"), import("linkedom")]);
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  return (options) => {
    const drawn = plot.plot({ document, style: { background: "transparent", fontSize: "12px" }, ...options(plot) });
    return (drawn as unknown as { outerHTML: string }).outerHTML;
  };
}

/** Strategies that a plot with one line each can still show apart. */
const MOST_LINES = 8;

/** Share of plans on which a strategy is within a factor of the best (Dolan and Moré 2002), one plot an environment. */
function performanceProfiles(rows: readonly BenchRow[]): Chart[] {
  // One colour a strategy in all plots.
  const domain = [...new Set(rows.map((row) => row.strategy))].sort();
  const range = domain.map((_, at) => `hsl(${(at * 137) % 360} 65% ${at % 2 === 0 ? 38 : 50}%)`);
  return [...groupBy(rows, environmentName)].map(([environment, group]) => {
    const best = bestByWorkload(group);
    const curves = [...groupBy(group, (row) => row.strategy)]
      .map(([strategy, own]) => {
        const factors = own.map((row) => row.makespanMs / Math.max(1e-9, best.get(row.workload)!));
        const sorted = factors.map((factor) => Math.max(1, factor)).sort((left, right) => left - right);
        const points = sorted.map((factor, at) => ({ strategy, factor, share: (at + 1) / best.size }));
        const mean = factors.reduce((sum, factor) => sum + Math.log(factor), 0) / factors.length;
        return { mean: mean + (best.size - own.length), points };
      })
      .sort((left, right) => left.mean - right.mean)
      .slice(0, MOST_LINES)
      .map(({ points }) => [
        { strategy: points[0]!.strategy, factor: 1, share: 0 },
        ...points,
        { strategy: points[0]!.strategy, factor: 3, share: points[points.length - 1]!.share },
      ]);
    return {
      title: `Performance profile, ${environment}`,
      note: `Share of plans on which a strategy is within a factor of the best of all; the ${MOST_LINES} best. Higher is better.`,
      options: (plot) => ({
        width: 760,
        height: 340,
        marginRight: 150,
        marginBottom: 45,
        x: { label: "within a factor of the best", labelAnchor: "center", domain: [1, 2], grid: true },
        y: { label: "share of plans", domain: [0, 1], grid: true },
        color: { type: "categorical", domain, range },
        marks: [
          plot.lineY(curves.flat(), {
            x: "factor",
            y: "share",
            stroke: "strategy",
            curve: "step-after",
            strokeWidth: 2,
            clip: true,
          }),
          ...labels(plot, curves),
        ],
      }),
    };
  });
}

/** Names at the right edge, moved apart where curves end together. */
function labels(plot: Plot, curves: { strategy: string; factor: number; share: number }[][]) {
  const ends = curves
    .map((points) => points.filter((point) => point.factor <= 2).at(-1)!)
    .map(({ strategy, share }) => ({ strategy, share }))
    .sort((left, right) => right.share - left.share);
  let above = 1.1;
  const placed = ends.map(({ strategy, share }) => {
    above = Math.min(share, above - 0.055);
    return { strategy, share: above, factor: 2 };
  });
  return [
    plot.text(placed, { x: "factor", y: "share", text: "strategy", fill: "strategy", textAnchor: "start", dx: 6 }),
  ];
}

const gapNote =
  "Makespan over the proved bound of the best strategy on each plan; the bound is as much to blame as the grouping.";

function gapAgainstSize(rows: readonly BenchRow[]): (plot: Plot) => PlotOptions {
  const best = [...groupBy(rows, (row) => `${row.workload} ${environmentName(row)}`).values()].map((group) =>
    group.reduce((least, row) => (row.makespanMs < least.makespanMs ? row : least)),
  );
  const points = best.map((row) => ({ tasks: row.tasks, ratio: row.ratio, environment: environmentName(row) }));
  return (plot) => ({
    width: 760,
    height: 340,
    marginBottom: 45,
    x: { type: "log", label: "tasks", labelAnchor: "center", grid: true },
    y: { label: "makespan / bound", grid: true },
    color: { type: "categorical", legend: true, scheme: "tableau10" },
    marks: [plot.ruleY([1]), plot.dot(points, { x: "tasks", y: "ratio", stroke: "environment", r: 2.5 })],
  });
}

/** Makespan against dispatches of every strategy, for the plan and environment where most strategies are on the front. */
function paretoFronts(rows: readonly BenchRow[]): Chart[] {
  const fronts = [...groupBy(rows, (row) => `${row.workload}, ${environmentName(row)}`)]
    .filter(([, group]) => group[0]!.overhead > 0)
    .map(([name, group]) => ({ name, group, front: frontOf(group) }))
    .sort((left, right) => right.front.length - left.front.length || right.group[0]!.tasks - left.group[0]!.tasks);
  return fronts.slice(0, 1).map(({ name, group, front }) => {
    return {
      title: `Pareto front, ${name}`,
      note: "Every strategy's makespan and number of dispatches; the line joins those that no other beats in both.",
      options: (plot) => ({
        width: 760,
        height: 360,
        marginRight: 120,
        marginBottom: 45,
        x: { type: "log", label: "dispatches", labelAnchor: "center", grid: true },
        y: { type: "log", label: "makespan, s", grid: true },
        marks: [
          plot.line(front, { x: "dispatches", y: seconds, stroke: "#4269d0" }),
          plot.dot(group, { x: "dispatches", y: seconds, stroke: "#999" }),
          plot.dot(front, { x: "dispatches", y: seconds, fill: "#4269d0" }),
          plot.text(front, { x: "dispatches", y: seconds, text: "strategy", dx: 8, dy: -8, textAnchor: "start" }),
        ],
      }),
    };
  });
}

/** Rows that no other beats in both makespan and dispatches, by makespan. */
function frontOf(group: readonly BenchRow[]): BenchRow[] {
  let fewest = Number.POSITIVE_INFINITY;
  return [...group]
    .sort((left, right) => left.makespanMs - right.makespanMs || left.dispatches - right.dispatches)
    .filter((row) => {
      const better = row.dispatches < fewest;
      fewest = Math.min(fewest, row.dispatches);
      return better;
    });
}

const seconds = (row: BenchRow) => row.makespanMs / 1000;

const ganttNote = "Each bar is a subgraph on an executor; darker ones hold more tasks.";

function gantt({ bars }: GanttChart): (plot: Plot) => PlotOptions {
  const shown = bars.map(({ lane, startMs, endMs, tasks }) => ({
    lane: `executor ${lane + 1}`,
    from: startMs / 1000,
    to: endMs / 1000,
    tasks,
  }));
  return (plot) => ({
    width: 760,
    height: 60 + 24 * new Set(shown.map((bar) => bar.lane)).size,
    marginLeft: 90,
    x: { label: "seconds", grid: true },
    y: { label: null },
    color: {
      scheme: "blues",
      domain: [0, Math.max(1, ...shown.map((bar) => bar.tasks))],
    },
    marks: [plot.barX(shown, { y: "lane", x1: "from", x2: "to", fill: "tasks", stroke: "white", insetTop: 1 })],
  });
}

function heatmap({ strategies, worst }: AdversarialMatrix): (plot: Plot) => PlotOptions {
  const cells = strategies.flatMap((judged, row) =>
    strategies.map((against, column) => ({ judged, against, ratio: worst[row]![column]! })),
  );
  const shown = cells.filter(({ ratio }) => ratio > 0);
  return (plot) => ({
    width: 860,
    height: 90 + 26 * strategies.length,
    marginLeft: 130,
    marginTop: 120,
    padding: 0.03,
    x: { axis: "top", tickRotate: -50, label: null, domain: strategies },
    y: { label: null, domain: strategies },
    color: { scheme: "ylorrd", type: "log", domain: [1, 5], clamp: true },
    marks: [
      plot.cell(shown, { x: "against", y: "judged", fill: "ratio" }),
      plot.text(shown, {
        x: "against",
        y: "judged",
        text: ({ ratio }: { ratio: number }) => ratio.toFixed(1),
        fontSize: 10,
        fill: ({ ratio }: { ratio: number }) => (ratio > 2.8 ? "white" : "black"),
      }),
    ],
  });
}

function bestByWorkload(rows: readonly BenchRow[]): Map<string, number> {
  const best = new Map<string, number>();
  for (const row of rows) best.set(row.workload, Math.min(best.get(row.workload) ?? Infinity, row.makespanMs));
  return best;
}

function figure(title: string, note: string, svg: string): string {
  return `<section><h2>${escaped(title)}</h2><p>${escaped(note)}</p>${svg}</section>`;
}

function page({ made, machine, tables, rows }: BenchReport, figures: readonly string[]): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Planloom optimizer bench</title>
<style>
:root { color-scheme: light; }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #1b1e23; background: #fff; }
h1 { margin-bottom: 0; } h2 { margin: 2.5rem 0 .2rem; font-size: 1.15rem; } p { color: #555; margin: .2rem 0 .8rem; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; font-size: .87rem; display: block; overflow-x: auto; }
th, td { padding: .2rem .6rem; text-align: right; border-bottom: 1px solid #e6e8eb; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; } th { color: #555; font-weight: 600; }
svg, figure { max-width: 100%; margin: 0; }
[class*="-swatch"] { display: inline-flex; align-items: center; gap: .35rem; margin-right: 1rem; }
</style></head><body>
<h1>Planloom optimizer bench</h1>
<p>${escaped(made)}, ${escaped(machine)}. ${rows.length} rows, each held against a bound that is proved.</p>
${tables.slice(0, 8).map(table).join("\n")}
${figures.join("\n")}
${tables.slice(8).map(table).join("\n")}
</body></html>
`;
}

function table({ title, note, columns, rows }: ReportTable): string {
  const cells = (tag: string, row: readonly (string | number)[]) =>
    `<tr>${row.map((cell) => `<${tag}>${escaped(String(cell))}</${tag}>`).join("")}</tr>`;
  return `<section><h2>${escaped(title)}</h2><p>${escaped(note)}</p><table><thead>${cells("th", columns)}</thead><tbody>${rows
    .map((row) => cells("td", row))
    .join("")}</tbody></table></section>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
