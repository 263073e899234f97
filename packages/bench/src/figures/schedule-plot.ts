import type { GanttChart } from "../bench-report.ts";
import { axis, type FigureGroup } from "./drawing.ts";

/** Bars narrower than this, in pixels, hold no text. */
const LEAST_TEXT = 16;

/** Subgraphs on executors over time; what dispatching them costs is drawn apart from their work. */
export function schedulePlot({ title, overheadMs, bars }: GanttChart): FigureGroup {
  const lanes = new Set(bars.map((bar) => bar.lane)).size;
  const endMs = Math.max(1e-9, ...bars.map((bar) => bar.endMs));
  const shown = bars.map((bar) => ({
    executor: String(bar.lane + 1),
    from: bar.startMs / 1000,
    begun: Math.min(bar.endMs, bar.startMs + overheadMs) / 1000,
    to: bar.endMs / 1000,
    tasks: bar.tasks,
    about: `${bar.tasks} task${bar.tasks === 1 ? "" : "s"}, ${(bar.startMs / 1000).toFixed(1)} to ${(bar.endMs / 1000).toFixed(1)} s`,
  }));
  return {
    id: "schedule",
    title: "A schedule",
    note: `${title}. A bar is a subgraph, the number in it its tasks.`,
    legend: [
      ...(overheadMs > 0 ? [{ name: "dispatch", colour: "var(--faint)", shape: "box" as const }] : []),
      { name: "tasks", colour: "var(--accent)", shape: "box" },
    ],
    figures: [
      {
        title: "",
        label: `Gantt chart: ${title}, on ${lanes} executors.`,
        options: (plot, width) => ({
          height: 70 + 26 * lanes,
          marginLeft: 44,
          marginRight: 12,
          marginBottom: 42,
          x: axis("seconds", { labelAnchor: "center", ticks: width < 500 ? 4 : 8 }),
          y: {
            label: "executor",
            labelArrow: "none",
            tickSize: 0,
            domain: Array.from({ length: lanes }, (_, at) => String(at + 1)),
          },
          marks: [
            plot.barX(shown, { y: "executor", x1: "from", x2: "begun", fill: "var(--faint)", insetLeft: 0.5 }),
            plot.barX(shown, {
              y: "executor",
              x1: "begun",
              x2: "to",
              fill: "var(--accent)",
              insetRight: 0.5,
              title: "about",
            }),
            plot.text(
              shown.filter(({ begun, to }) => ((to - begun) / (endMs / 1000)) * (width - 56) >= LEAST_TEXT),
              {
                y: "executor",
                x: ({ begun, to }: (typeof shown)[number]) => (begun + to) / 2,
                text: ({ tasks }: (typeof shown)[number]) => String(tasks),
                fill: "var(--on-accent)",
                fontSize: 11,
              },
            ),
          ],
        }),
      },
    ],
  };
}
