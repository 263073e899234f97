export type Plot = typeof import("@observablehq/plot");
export type PlotOptions = import("@observablehq/plot").PlotOptions;
type ScaleOptions = import("@observablehq/plot").ScaleOptions;

/** A plot for a width in pixels; drawn once for a wide screen and once for a phone, so that text has the same size on both. */
export interface Figure {
  readonly title: string;
  /** A description of the picture, for people who cannot see it. */
  readonly label: string;
  readonly options: (plot: Plot, width: number) => PlotOptions;
}

export interface FigureGroup {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly legend: readonly LegendEntry[];
  readonly figures: readonly Figure[];
  /** Drawn once and scrolled sideways where there is less room. */
  readonly fixedWidth?: number;
}

export interface LegendEntry {
  readonly name: string;
  /** A colour as CSS has it. */
  readonly colour: string;
  readonly dash?: string | undefined;
  readonly shape: "line" | "dot" | "ring" | "box";
}

/** The mark of a legend as SVG, 22 pixels wide; its left edge is at `x`, its middle at `y`. */
export function legendShape({ colour, dash, shape }: LegendEntry, x: number, y: number): string {
  const dashes = dash === undefined ? "" : ` stroke-dasharray="${dash}"`;
  const shapes = {
    line: `<path d="M${x} ${y}h22" fill="none" stroke="${colour}" stroke-width="2.5"${dashes}/>`,
    dot: `<circle cx="${x + 11}" cy="${y}" r="4" fill="${colour}"/>`,
    ring: `<circle cx="${x + 11}" cy="${y}" r="4" fill="none" stroke="${colour}" stroke-width="1.5"/>`,
    box: `<rect x="${x + 3}" y="${y - 6}" width="16" height="12" rx="2" fill="${colour}"/>`,
  };
  return shapes[shape];
}

/** Colours of series by number; the page's style says what they are, by light and by dark. */
export const seriesColours = Array.from({ length: 8 }, (_, at) => `var(--series-${at + 1})`);

/** No two lines have the same dashes: some people cannot distinguish their colours, and papers are printed without. */
export const seriesDashes = [undefined, "7 3", "2 3", "9 3 2 3", "14 3", "6 2 1 2 1 2", "4 5", "1 2"];

/** What the axes of the plots share: a grid, a label without an arrow, numbers as people write them. */
export function axis(label: string, options: ScaleOptions = {}): ScaleOptions {
  return {
    label,
    labelArrow: "none",
    grid: true,
    tickFormat: (value: number) => value.toLocaleString("en"),
    ...options,
  };
}

/** Turns options into SVG text, by Observable Plot on a DOM of linkedom. */
export async function loadDrawing(): Promise<(figure: Figure, width: number) => string> {
  const [plot, { parseHTML }] = await Promise.all([import("@observablehq/plot"), import("linkedom")]);
  const { document } = parseHTML("<!doctype html><html><body></body></html>");
  return ({ label, options }, width) => {
    const style = { background: "transparent", fontSize: "12px", overflow: "visible" };
    const drawn = plot.plot({ document, ariaLabel: label, style, width, ...options(plot, width) });
    return (drawn as unknown as { outerHTML: string }).outerHTML.replace("<svg ", '<svg role="img" ');
  };
}
