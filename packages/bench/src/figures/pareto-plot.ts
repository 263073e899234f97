import type { ParetoChart, ParetoMark } from "../bench-report.ts";
import { axis, type FigureGroup } from "./drawing.ts";
import { placeLabels } from "./place-labels.ts";

/** Makespan against dispatches: what the strategies propose for one plan, and the groupings that none beats. */
export function paretoPlot({ title, front, strategies }: ParetoChart): FigureGroup {
  const best = byStrategy(strategies);
  const rework = front.some((mark) => mark.expectedReworkMs > 0);
  // With a third axis a point of the front may lie behind another in this plane; the line joins those that do not.
  const staircase = front.filter(
    (mark) => !front.some((other) => other.makespanMs <= mark.makespanMs && other.dispatches < mark.dispatches),
  );
  const third = rework ? " Expected rework is the third axis; larger dots have more of it." : "";
  return {
    id: "pareto",
    title: "Pareto front",
    note: `${title}. The line joins groupings of which none is both shorter and in fewer dispatches; hollow dots are what single strategies propose.${third}`,
    legend: [
      { name: "front", colour: "var(--accent)", shape: "dot" },
      { name: "strategy", colour: "var(--muted)", shape: "ring" },
    ],
    figures: [
      {
        title: "",
        label: `Pareto front of ${title}: ${front.length} groupings, from ${figures(front[0])} to ${figures(front.at(-1))}.`,
        options: (plot, width) => {
          const height = width < 500 ? 320 : 400;
          const margins = { left: 52, right: width < 500 ? 16 : 24, top: 24, bottom: 42 };
          const all = [...front, ...best];
          const area = { width, height, ...margins };
          const labels = placeLabels(
            best.map((mark) => ({ text: mark.strategy, x: mark.dispatches, y: mark.makespanMs })),
            [...all.map((mark) => ({ x: mark.dispatches, y: mark.makespanMs })), ...along(staircase)],
            area,
            widened,
          );
          const most = Math.max(1e-9, ...front.map((mark) => mark.expectedReworkMs));
          const place = { x: "dispatches", y: seconds, title: figures };
          return {
            height,
            marginLeft: margins.left,
            marginRight: margins.right,
            marginTop: margins.top,
            marginBottom: margins.bottom,
            x: axis("dispatches", {
              type: "log",
              domain: widened(all.map((mark) => mark.dispatches)),
              labelAnchor: "center",
              ticks: width < 500 ? 4 : 8,
            }),
            y: axis("makespan, s", {
              type: "log",
              domain: widened(all.map(seconds)),
              ticks: 6,
              tickFormat: (value: number) => value.toLocaleString("en", { maximumSignificantDigits: 3 }),
            }),
            marks: [
              plot.line(staircase, { x: "dispatches", y: seconds, stroke: "var(--accent)", strokeWidth: 2 }),
              plot.dot(best, { ...place, r: 4, fill: "var(--page)", stroke: "var(--muted)", strokeWidth: 1.5 }),
              plot.dot(front, {
                ...place,
                fill: "var(--accent)",
                r: (mark: ParetoMark) => (rework ? 2.5 + 4 * Math.sqrt(mark.expectedReworkMs / most) : 3.5),
              }),
              ...labels.map(({ text, x, y, dx, dy, anchor }) =>
                plot.text([{ x, y: y / 1000 }], {
                  x: "x",
                  y: "y",
                  text: [text],
                  dx,
                  dy,
                  textAnchor: anchor,
                  fill: "currentColor",
                  stroke: "var(--page)",
                  strokeWidth: 3,
                  fontSize: 11,
                }),
              ),
            ],
            r: { type: "identity" },
          };
        },
      },
    ],
  };
}

/** One mark a grouping: strategies that propose the same figures share it, named after the first. */
function byStrategy(strategies: readonly ParetoMark[]): ParetoMark[] {
  const seen = new Map<string, ParetoMark>();
  for (const mark of strategies) {
    const key = `${mark.dispatches} ${mark.makespanMs.toPrecision(9)}`;
    if (!seen.has(key)) seen.set(key, mark);
  }
  return [...seen.values()];
}

const seconds = (mark: ParetoMark) => mark.makespanMs / 1000;

function figures(mark: ParetoMark | undefined): string {
  return mark === undefined
    ? "none"
    : `${seconds(mark).toFixed(1)} s in ${mark.dispatches} dispatches (${mark.strategy})`;
}

/** Places on the line between marks, which labels keep clear of. */
function along(marks: readonly ParetoMark[]): { x: number; y: number }[] {
  const between = (from: number, to: number, share: number) => from * (to / from) ** share;
  return marks.slice(1).flatMap((to, at) =>
    Array.from({ length: 19 }, (_, step) => ({
      x: between(marks[at]!.dispatches, to.dispatches, (step + 1) / 20),
      y: between(marks[at]!.makespanMs, to.makespanMs, (step + 1) / 20),
    })),
  );
}

/** The logarithmic domain of the values, with some air. */
function widened(values: readonly number[]): [number, number] {
  const least = Math.min(...values.filter((value) => value > 0));
  const most = Math.max(...values);
  const air = Math.max(1.08, (most / least) ** 0.08);
  return [least / air, most * air];
}
