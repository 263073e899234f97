export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
  /** It did not come to the end of a larger size: its last point is a triangle. */
  readonly stopped?: boolean;
  /** What the plot is about: drawn stronger than what it is compared with. */
  readonly main?: boolean;
}

export interface Plot {
  readonly title: string;
  /** One line under the title. */
  readonly subtitle: string;
  readonly xName: string;
  readonly yName: string;
  readonly series: readonly Series[];
  /** Dashed lines across, with their names. */
  readonly targets?: readonly { readonly name: string; readonly y: number }[];
}

/** Distinguished in greyscale and by most who see colours differently (after Okabe and Ito, with neighbours far apart). */
const mainColours = ["#0072b2", "#d55e00"];
const otherColours = ["#009e73", "#cc79a7", "#8f6f00", "#5b5bd6", "#56a3d9", "#a0522d", "#6b7280", "#b0307a"];

const [width, height, left, right, top, bottom] = [920, 480, 70, 306, 74, 52];
const labelGap = 17;

/** A log-log plot whose lines carry their names and last values, as SVG text. Legible on light and dark grounds. */
export function svgPlot({ title, subtitle, xName, yName, series, targets = [] }: Plot): string {
  const points = series.flatMap((one) => one.points);
  const px = scale(
    points.map(([x]) => x),
    left,
    width - right,
  );
  const py = scale([...points.map(([, y]) => y), ...targets.map(({ y }) => y)], height - bottom, top);
  const parts = [
    text(left - 54, 28, title, 'class="title"'),
    text(left - 54, 49, subtitle),
    ...py.ticks.map((y) => rule(`M${left} ${py.at(y)}H${width - right}`, isDecade(y) ? "grid" : "grid minor")),
    ...px.ticks.filter(isDecade).map((x) => rule(`M${px.at(x)} ${top}V${height - bottom}`, "grid")),
    ...py.ticks.filter(isDecade).map((y) => text(left - 8, py.at(y) + 4, written(y), 'text-anchor="end"')),
    ...px.ticks.filter(isDecade).map((x) => text(px.at(x), height - bottom + 19, written(x), 'text-anchor="middle"')),
    text((left + width - right) / 2, height - 10, xName, 'text-anchor="middle"'),
    text(16, 0, yName, `text-anchor="middle" transform="translate(0 ${(top + height - bottom) / 2}) rotate(-90 16 0)"`),
    ...targets.flatMap(({ name, y }) => [
      rule(`M${left} ${py.at(y)}H${width - right}`, "target"),
      text(left + 8, py.at(y) - 6, name, 'class="note"'),
    ]),
    ...drawn(series, px.at, py.at),
  ];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" role="img"><title>${escaped(title)}</title><style>${style}</style>${parts.join("")}</svg>\n`;
}

const style = [
  "text{font:13px system-ui,sans-serif;fill:#4b5563}.title{font-size:17px;font-weight:600;fill:#111827}.note{font-size:12px}",
  ".main{font-weight:600;fill:#111827}.grid{stroke:#80808055;fill:none}.minor{stroke:#8080801f}",
  ".target{stroke:#808080;stroke-dasharray:6 4;fill:none}",
  "@media(prefers-color-scheme:dark){text{fill:#b6bcc6}.title,.main{fill:#f3f4f6}}",
].join("");

/** The lines, weaker ones first, and their labels on the right, moved apart where they would cover each other. */
function drawn(series: readonly Series[], px: (x: number) => number, py: (y: number) => number): string[] {
  let [mains, others] = [0, 0];
  const lines = series
    .filter(({ points }) => points.length > 0)
    .map((one) => {
      const colour = one.main
        ? mainColours[mains++ % mainColours.length]
        : otherColours[others++ % otherColours.length];
      const [x, y] = one.points.at(-1)!;
      return { ...one, colour: String(colour), last: y, x: px(x), y: py(y), labelY: py(y) };
    });
  spread(lines);
  const order = [...lines].sort((a, b) => Number(a.main ?? false) - Number(b.main ?? false));
  return order.flatMap((line) => {
    const { colour, points, stopped = false, main = false } = line;
    const path = points.map(([x, y], at) => `${at === 0 ? "M" : "L"}${px(x)} ${py(y)}`).join("");
    const stroke = `stroke="${colour}" fill="none" stroke-width="${main ? 3 : 1.8}"`;
    const parts = [`<path d="${path}" ${stroke}/>`];
    const [radius, up] = main ? [4.5, 7] : [3.2, 6];
    for (const [x, y] of stopped ? points.slice(0, -1) : points) {
      parts.push(`<circle cx="${px(x)}" cy="${py(y)}" r="${radius}" fill="${colour}"/>`);
    }
    if (stopped)
      parts.push(`<path d="M${line.x - up} ${line.y + 4}h${2 * up}l${-up} ${-1.8 * up}z" fill="${colour}"/>`);
    const labelX = width - right + 30;
    const from = `M${line.x + 8} ${line.y}L${width - right + 10} ${line.labelY}H${labelX - 5}`;
    parts.push(`<path d="${from}" stroke="${colour}" stroke-opacity="0.45" fill="none"/>`);
    parts.push(text(labelX, line.labelY + 4, `${line.name}  ${written(line.last)}`, main ? 'class="main"' : ""));
    return parts;
  });
}

/** Moves labels apart, in place: down where they are too near, then all up that were pushed out below. */
function spread(lines: { labelY: number }[]): void {
  const order = [...lines].sort((a, b) => a.labelY - b.labelY);
  for (const [at, line] of order.entries()) {
    if (at > 0) line.labelY = Math.max(line.labelY, order[at - 1]!.labelY + labelGap);
  }
  let floor = height - bottom;
  for (const line of order.reverse()) {
    line.labelY = Math.min(line.labelY, floor);
    floor = line.labelY - labelGap;
  }
}

function scale(values: readonly number[], start: number, end: number) {
  const [from, to] = [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))];
  const ticks: number[] = [];
  for (let decade = from; decade <= to; decade++) {
    for (const step of decade === to ? [1] : [1, 2, 5]) ticks.push(step * 10 ** decade);
  }
  const at = (value: number) =>
    Math.round((start + ((Math.log10(value) - from) / Math.max(1, to - from)) * (end - start)) * 10) / 10;
  return { ticks, at };
}

const isDecade = (value: number) => Math.abs(Math.log10(value) - Math.round(Math.log10(value))) < 1e-9;
const written = (value: number) => value.toLocaleString("en", { maximumSignificantDigits: 3 });
const rule = (path: string, name: string) => `<path d="${path}" class="${name}"/>`;
const escaped = (words: string) => words.replaceAll("&", "&amp;").replaceAll("<", "&lt;");

function text(x: number, y: number, words: string, more = ""): string {
  return `<text x="${x}" y="${y}" xml:space="preserve" ${more}>${escaped(words)}</text>`;
}
