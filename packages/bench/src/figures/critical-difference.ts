import type { Comparison } from "../statistics/comparison.ts";
import { axis, type Figure, type FigureGroup } from "./drawing.ts";

/** Pixels a line of text takes. */
const LINE = 18;

/**
 * Critical-difference diagrams (Demsar 2006): strategies by mean rank, and bars over those between which Nemenyi's test shows no difference. Names
 * are in lines under the axis, so that they never overlap.
 */
export function criticalDifferences(comparisons: readonly Comparison[]): FigureGroup {
  return {
    id: "differences",
    title: "Critical differences",
    note: "Mean rank of the makespan over all plans, 1 for a strategy that is always the shortest. A bar joins strategies whose ranks are too near to one another to say at a level of 0.05 that they differ; strategies without a common bar do.",
    legend: [],
    figures: comparisons.map(figureOf),
  };
}

function figureOf({ environment, strategies, groups, friedman, plans }: Comparison): Figure {
  const rankOf = new Map(strategies.map(({ strategy, rank }) => [strategy, rank]));
  const bars = groups.map((group, at) => ({
    line: -(at + 1) * 0.45,
    from: rankOf.get(group[0]!)!,
    to: rankOf.get(group.at(-1)!)!,
  }));
  const highest = bars.length * 0.45 + 0.6;
  const marks = strategies.map(({ strategy, rank }, at) => ({ strategy, rank, line: at + 1 }));
  const half = (strategies.length + 1) / 2;
  return {
    title: environment,
    label: `Critical-difference diagram, ${environment}, ${plans} plans: ${strategies.map(({ strategy, rank }) => `${strategy} ${rank.toFixed(2)}`).join(", ")}; critical difference ${friedman.criticalDifference.toFixed(2)}.`,
    options: (plot) => ({
      height: 60 + LINE * (strategies.length + highest),
      marginLeft: 12,
      marginRight: 12,
      marginTop: 34,
      marginBottom: 8,
      x: axis("mean rank", {
        axis: "top",
        labelAnchor: "center",
        domain: [1, Math.max(2, strategies.length)],
        grid: false,
      }),
      y: { axis: null, domain: [strategies.length + 0.7, -highest] },
      marks: [
        plot.ruleX(marks, { x: "rank", y1: 0, y2: "line", stroke: "var(--faint)" }),
        plot.ruleY(bars, { y: "line", x1: "from", x2: "to", stroke: "var(--accent)", strokeWidth: 4 }),
        plot.dot(marks, { x: "rank", y: 0, r: 3, fill: "var(--ink)" }),
        ...(["start", "end"] as const).map((anchor) =>
          plot.text(
            marks.filter(({ rank }) => (anchor === "start" ? rank <= half : rank > half)),
            {
              x: "rank",
              y: "line",
              text: ({ strategy, rank }: (typeof marks)[number]) => `${strategy} ${rank.toFixed(2)}`,
              textAnchor: anchor,
              dx: anchor === "start" ? 5 : -5,
            },
          ),
        ),
      ],
    }),
  };
}
