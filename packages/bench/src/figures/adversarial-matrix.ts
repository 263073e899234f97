import type { AdversarialMatrix } from "../bench-report.ts";
import { matrixTable } from "../markdown-report.ts";
import type { FigureGroup } from "./drawing.ts";

/** From so much on a cell has the darkest colour. */
const WORST = 5;

/** Worst ratio of every ordered pair of strategies as a heat map. */
export function adversarialHeatmap(matrix: AdversarialMatrix): FigureGroup {
  const { strategies, worst } = matrix;
  const cells = strategies.flatMap((judged, row) =>
    strategies.map((against, column) => ({ judged, against, ratio: worst[row]![column]! })),
  );
  const shown = cells.filter(({ ratio }) => ratio > 0);
  const width = 190 + 44 * strategies.length;
  return {
    id: "adversarial",
    title: "Adversarial search",
    note: matrixTable(matrix).note,
    legend: [
      { name: "never worse", colour: "var(--heat-0)", shape: "box" },
      { name: "up to 1.5×", colour: "var(--heat-1)", shape: "box" },
      { name: "up to 2×", colour: "var(--heat-2)", shape: "box" },
      { name: "up to 3×", colour: "var(--heat-3)", shape: "box" },
      { name: `up to ${WORST}×`, colour: "var(--heat-4)", shape: "box" },
      { name: "worse", colour: "var(--heat-5)", shape: "box" },
    ],
    fixedWidth: width,
    figures: [
      {
        title: "",
        label: `Heat map of the worst ratio found for ${shown.length} ordered pairs of strategies.`,
        options: (plot) => ({
          height: 140 + 28 * strategies.length,
          marginLeft: 136,
          marginTop: 130,
          marginRight: 54,
          padding: 0.06,
          x: { axis: "top", tickRotate: -45, tickSize: 0, label: null, domain: [...strategies] },
          y: { label: null, tickSize: 0, domain: [...strategies] },
          marks: [
            plot.cell(shown, {
              x: "against",
              y: "judged",
              fill: ({ ratio }: { ratio: number }) => `var(--heat-${heat(ratio)})`,
              rx: 2,
              title: ({ judged, against, ratio }: (typeof cells)[number]) =>
                `${judged} took ${ratio.toFixed(2)} times as long as ${against}`,
            }),
            plot.text(shown, {
              x: "against",
              y: "judged",
              text: ({ ratio }: { ratio: number }) => ratio.toFixed(ratio < 10 ? 2 : 0),
              fontSize: 11,
              fill: ({ ratio }: { ratio: number }) => `var(--on-heat-${heat(ratio) >= 4 ? "dark" : "light"})`,
            }),
          ],
        }),
      },
    ],
  };
}

function heat(ratio: number): number {
  if (ratio <= 1 + 5e-3) return 0;
  return [1.5, 2, 3, WORST].findIndex((limit) => ratio <= limit) + 1 || 5;
}
