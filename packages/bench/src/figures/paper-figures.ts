import type { BenchReport } from "../bench-report.ts";
import { reportStyle } from "../report-style.ts";
import { groupBy } from "../statistics/means.ts";
import { type FigureGroup, type LegendEntry, legendShape, loadDrawing } from "./drawing.ts";
import { profileCurves, profileLegend, profileTicks, WIDEST } from "./performance-profiles.ts";
import { reportFigures } from "./report-figures.ts";

/** One file of a figure for a paper. */
export interface PaperFile {
  /** With its ending: `.svg`, or `.tex` for pgfplots. */
  readonly name: string;
  readonly text: string;
}

/** Pixels: the width of a text column at 96 to the inch, and then some. */
const WIDTH = 480;
const LEGEND_LINE = 18;
const LEGEND_COLUMNS = 3;
/** A mark and the room around it. */
const LEGEND_MARK = 44;
/** Of a character of a name, at most on average. */
const CHARACTER = 7.5;

/**
 * The figures of a report as files that need nothing else: each plot as an SVG with its colours and its legend in it, on white, and performance profiles as
 * pgfplots source with the numbers of their curves, which a TeX document sets in its own fonts. Lines differ in dashes as well as in colour.
 */
export async function paperFigures(report: BenchReport): Promise<PaperFile[]> {
  const draw = await loadDrawing();
  const drawn = reportFigures(report).flatMap((group) =>
    group.figures.map((figure, at) => ({
      name: `${group.id}${group.figures.length > 1 ? `-${at + 1}` : ""}.svg`,
      text: standalone(draw(figure, group.fixedWidth ?? WIDTH), group),
    })),
  );
  const environments = [...groupBy(report.rows, (row) => row.environment)];
  const { shown, legend } = profileLegend(report.rows);
  const profiles = environments.map(([environment, group], at) => ({
    name: `profiles${environments.length > 1 ? `-${at + 1}` : ""}.tex`,
    text: profileTex(environment, profileCurves(group), shown, legend),
  }));
  return [...drawn, ...profiles];
}

/** The colours of the light page by name: `--accent` is `#2f5fb3`. */
const lightColours = new Map(
  [...reportStyle.slice(0, reportStyle.indexOf("@media")).matchAll(/(--[\w-]+):\s*(#[0-9a-f]+)/g)].map(
    ([, name, colour]) => [name!, colour!] as const,
  ),
);

const resolved = (text: string) =>
  text
    .replaceAll(/var\((--[\w-]+)\)/g, (whole, name: string) => lightColours.get(name) ?? whole)
    .replaceAll("currentColor", "#1d2026");

/** A plot of the page as an SVG document of its own. */
function standalone(svg: string, { legend }: FigureGroup): string {
  const width = Number(/\bwidth="([\d.]+)"/.exec(svg)?.[1] ?? WIDTH);
  const height = Number(/\bheight="([\d.]+)"/.exec(svg)?.[1] ?? 0);
  const { marks, lines } = legendOf(legend, width);
  const above = lines === 0 ? 0 : LEGEND_LINE * lines + 8;
  const total = `${width} ${height + above}`;
  const inner = asGroup(svg, above);
  return `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height + above}" viewBox="0 0 ${total}" font-family="Helvetica, Arial, sans-serif" font-size="12" color="#1d2026">
<rect width="100%" height="100%" fill="#ffffff"/>
${resolved([...marks, inner].join("\n"))}
</svg>
`;
}

/**
 * The plot as a group of another document, for programs that read no document within a document, no style sheet or no order of painting (CairoSVG): attributes that
 * text inherits stay, and what is behind letters is painted before them.
 * @param down pixels by which it is moved
 */
function asGroup(svg: string, down: number): string {
  const [opening = ""] = /^<svg [^>]*>/.exec(svg) ?? [];
  const attributes = new Map(
    [...opening.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!] as const),
  );
  // What its style sets goes before its attribute.
  const size = /font-size:\s*([\d.]+)px/.exec(attributes.get("style") ?? "")?.[1];
  if (size !== undefined) attributes.set("font-size", size);
  const kept = ["role", "aria-label", "fill", "font-family", "font-size", "text-anchor"].flatMap((name) => {
    const value = attributes.get(name);
    return value === undefined ? [] : [` ${name}="${value}"`];
  });
  const content = svg
    .slice(opening.length)
    .replace(/<style>[\s\S]*?<\/style>/, "")
    .replace(/<\/svg>\s*$/, "")
    .replaceAll(/<g ([^>]*paint-order="stroke"[^>]*)>([\s\S]*?)<\/g>/g, (_, given: string, texts: string) => {
      const attributes = given.replace('paint-order="stroke"', "");
      const letters = attributes.replaceAll(/stroke(-\w+)?="[^"]*"/g, "");
      return `<g ${attributes} aria-hidden="true">${texts}</g><g ${letters}>${texts}</g>`;
    });
  return `<g transform="translate(0 ${down})"${kept.join("")}>${content}</g>`;
}

/** In as many columns, up to three, as the longest name leaves room for. A name that is longer than the figure is wide goes over several lines. */
function legendOf(legend: readonly LegendEntry[], width: number): { marks: string[]; lines: number } {
  const longest = Math.max(1, ...legend.map(({ name }) => name.length));
  const columns = Math.max(1, Math.min(LEGEND_COLUMNS, Math.floor(width / (LEGEND_MARK + CHARACTER * longest))));
  const room = Math.floor((width / columns - LEGEND_MARK) / CHARACTER);
  let lines = 0;
  const marks = legend.map((entry, at) => {
    const column = at % columns;
    const texts = inLines(entry.name, room);
    if (column === 0) lines += texts.length;
    const x = column * (width / columns) + 8;
    const y = (lines - texts.length) * LEGEND_LINE + 14;
    const spans = texts.map(
      (text, line) => `<text x="${x + 28}" y="${y + line * LEGEND_LINE}" fill="#1d2026">${inXml(text)}</text>`,
    );
    return `${legendShape(entry, x, y - 4)}${spans.join("")}`;
  });
  return { marks, lines };
}

/** Broken between words, where there are any, so that no line has more characters. */
function inLines(text: string, room: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= room) lines[lines.length - 1] = `${line} ${word}`;
    else lines.push(word);
  }
  return lines;
}

const inXml = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

/**
 * A picture of pgfplots with the points of each curve, in the colours and dashes of the plot, with the legend below; the document needs `\usepackage{pgfplots}`. Strategies without a colour
 * of their own are drawn first, behind the others.
 */
function profileTex(
  environment: string,
  curves: ReturnType<typeof profileCurves>,
  shown: readonly string[],
  legend: readonly LegendEntry[],
): string {
  const styleOf = ({ colour, dash }: LegendEntry, at: number) => {
    const pattern = dash?.split(" ").map((length, place) => `${place % 2 === 0 ? "on" : "off"} ${length}pt`);
    const width = at === 0 ? "very thick" : "thick";
    return `${colourName(colour)}, ${width}${pattern === undefined ? "" : `, dash pattern=${pattern.join(" ")}`}`;
  };
  const plotOf = ({ strategy, points }: (typeof curves)[number], style: string) => {
    const coordinates = points.map(({ factor, share }) => `(${factor.toFixed(6)},${share.toFixed(6)})`);
    return `  % ${strategy.replaceAll(/\s+/g, " ")}\n  \\addplot[const plot, forget plot, ${style}] coordinates {${coordinates.join(" ")}};`;
  };
  const others = legend[shown.length];
  const behind = curves.filter(({ strategy }) => !shown.includes(strategy));
  const inFront = shown.flatMap((name) => curves.filter(({ strategy }) => strategy === name)).reverse();
  const plots = [
    ...behind.map((curve) => plotOf(curve, `${colourName(others!.colour)}, thin`)),
    ...inFront.map((curve) =>
      plotOf(curve, styleOf(legend[shown.indexOf(curve.strategy)]!, shown.indexOf(curve.strategy))),
    ),
  ];
  const entries = legend.map(
    (entry, at) => `  \\addlegendimage{${styleOf(entry, at)}}\n  \\addlegendentry{${inTex(entry.name)}}`,
  );
  const colours = legend.map(({ colour }) => {
    const hex = resolved(colour).slice(1).toUpperCase();
    return `\\definecolor{${colourName(colour)}}{HTML}{${hex}}`;
  });
  return `% ${environment.replaceAll(/\s+/g, " ")}: share of plans within a factor of the best
${colours.join("\n")}
\\begin{tikzpicture}
\\begin{axis}[
  title={${inTex(environment)}}, xlabel={within a factor of the best}, ylabel={share of plans},
  xmode=log, xmin=1, xmax=${WIDEST}, xtick={${profileTicks.join(",")}}, minor tick style={draw=none}, log ticks with fixed point, ymin=0, ymax=1.02, grid=major, grid style={black!10},
  legend columns=${LEGEND_COLUMNS}, legend cell align=left, legend style={at={(0.5,-0.22)}, anchor=north, draw=none, font=\\small, /tikz/every even column/.append style={column sep=0.8em}},
]
${[...plots, ...entries].join("\n")}
\\end{axis}
\\end{tikzpicture}
`;
}

/** Of a colour of the page, in TeX: `var(--series-1)` is `planloomseries1`. */
const colourName = (colour: string) => `planloom${colour.replaceAll(/var|[^a-z0-9]/g, "")}`;

function inTex(text: string): string {
  return text.replaceAll(/[\\{}$&#^_%~]/g, (each) =>
    each === "\\" ? "\\textbackslash{}" : each === "^" || each === "~" ? `\\${each}{}` : `\\${each}`,
  );
}
