import type { BenchRow } from "../row.ts";
import { groupBy } from "../statistics/means.ts";
import { axis, type Figure, type FigureGroup, type LegendEntry, seriesColours, seriesDashes } from "./drawing.ts";

/** Beyond this factor a strategy has lost, and how far says little. */
export const WIDEST = 3;
/** Where the axis of factors has numbers. */
export const profileTicks = [1, 1.2, 1.5, 2, 3];

interface Curve {
  readonly strategy: string;
  readonly points: readonly { readonly strategy: string; readonly factor: number; readonly share: number }[];
}

/**
 * Share of plans on which a strategy is within a factor of the best of all (Dolan and Moré 2002), one plot an environment.
 * The strategies that are nearest to the best over all environments have a colour, the same in every plot; the others are grey.
 */
export function performanceProfiles(rows: readonly BenchRow[]): FigureGroup {
  const { shown, legend } = profileLegend(rows);
  return {
    id: "profiles",
    title: "Performance profiles",
    note: "How often a strategy comes within a factor of the best of all, whatever the plan. A line further up and to the left is better; where it starts, on the left edge, is how often the strategy is the best.",
    legend,
    figures: [...groupBy(rows, (row) => row.environment)].map(([environment, group]) =>
      profile(environment, profileCurves(group), shown),
    ),
  };
}

/** The strategies that have a colour and dashes of their own, nearest to the best first, and the lines of the legend. */
export function profileLegend(rows: readonly BenchRow[]): {
  readonly shown: readonly string[];
  readonly legend: readonly LegendEntry[];
} {
  const strategies = byDistance(rows);
  const shown = strategies.slice(0, seriesColours.length);
  const legend: LegendEntry[] = shown.map((name, at) => ({
    name,
    colour: seriesColours[at]!,
    dash: seriesDashes[at],
    shape: "line",
  }));
  if (strategies.length > shown.length) {
    legend.push({ name: `${strategies.length - shown.length} others`, colour: "var(--faint)", shape: "line" });
  }
  return { shown, legend };
}

function profile(environment: string, curves: readonly Curve[], shown: readonly string[]): Figure {
  const others = curves.filter(({ strategy }) => !shown.includes(strategy));
  const front = shown.flatMap((name) => curves.filter(({ strategy }) => strategy === name)).reverse();
  const best = front.at(-1);
  const onTop =
    best === undefined ? 0 : Math.max(0, ...best.points.filter(({ factor }) => factor <= 1).map(({ share }) => share));
  return {
    title: environment,
    label: `Performance profile, ${environment}: ${best?.strategy ?? "no strategy"} is the best on ${percent(onTop)} of the plans.`,
    options: (plot, width) => ({
      height: Math.round(Math.min(300, width * 0.68)),
      marginLeft: 48,
      marginRight: 12,
      marginBottom: 42,
      // A line at 100 % is not cut in half.
      insetTop: 3,
      x: axis("within a factor of the best", {
        type: "log",
        labelAnchor: "center",
        domain: [1, WIDEST],
        ticks: profileTicks,
        tickFormat: (value: number) => `${value}×`,
      }),
      y: axis("share of plans", { domain: [0, 1], ticks: 5, tickFormat: percent }),
      marks: [
        ...others.map(({ points }) => plot.lineY(points, { ...step, stroke: "var(--faint)", strokeWidth: 1 })),
        ...front.map(({ strategy, points }) => {
          const at = shown.indexOf(strategy);
          const dash = seriesDashes[at];
          return plot.lineY(points, {
            ...step,
            stroke: seriesColours[at]!,
            strokeWidth: at === 0 ? 3 : 2,
            ...(dash === undefined ? {} : { strokeDasharray: dash }),
          });
        }),
        plot.ruleY([0]),
      ],
    }),
  };
}

const step = { x: "factor", y: "share", curve: "step-after", clip: true } as const;
const percent = (share: number) => `${Math.round(share * 100)}%`;

/** The profile of each strategy in one environment: shares of plans by factor, rising, up to the widest factor that is drawn. */
export function profileCurves(group: readonly BenchRow[]): Curve[] {
  const best = bestByWorkload(group);
  return [...groupBy(group, (row) => row.strategy)].map(([strategy, own]) => {
    const factors = own.map((row) => factorOf(row, best)).sort((left, right) => left - right);
    // A plan may have been tried with several seeds, or with none.
    const each = factors.length / new Set(own.map((row) => row.workload)).size;
    const points = factors
      .map((factor, at) => ({ strategy, factor, share: (at + 1) / each / best.size }))
      .filter(({ factor }) => factor <= WIDEST);
    const last = points.at(-1)?.share ?? 0;
    return {
      strategy,
      points: [{ strategy, factor: 1, share: 0 }, ...points, { strategy, factor: WIDEST, share: last }],
    };
  });
}

/** Strategies, nearest to the best first: by the geometric mean over plans and environments, missing plans counted as lost. */
function byDistance(rows: readonly BenchRow[]): string[] {
  const cell = (row: BenchRow) => `${row.workload} ${row.environment}`;
  const best = new Map(
    [...groupBy(rows, cell)].map(([key, group]) => [key, bestByWorkload(group).values().next().value!]),
  );
  const distance = [...groupBy(rows, (row) => row.strategy)].map(([strategy, own]) => {
    const logs = own.map((row) => Math.log(Math.max(1, row.makespanMs / Math.max(1e-9, best.get(cell(row))!))));
    const missing = best.size - new Set(own.map(cell)).size;
    return { strategy, mean: (logs.reduce((sum, each) => sum + each, 0) + missing) / (own.length + missing) };
  });
  return distance.sort((left, right) => left.mean - right.mean).map(({ strategy }) => strategy);
}

function factorOf(row: BenchRow, best: ReadonlyMap<string, number>): number {
  const least = best.get(row.workload)!;
  // Sums of the same numbers in another order may differ in the last digit.
  return row.makespanMs <= least * (1 + 1e-9) ? 1 : Math.min(1e9, row.makespanMs / Math.max(1e-9, least));
}

function bestByWorkload(rows: readonly BenchRow[]): Map<string, number> {
  const best = new Map<string, number>();
  for (const row of rows) {
    best.set(row.workload, Math.min(best.get(row.workload) ?? Number.POSITIVE_INFINITY, row.makespanMs));
  }
  return best;
}
