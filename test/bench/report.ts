import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { availableParallelism, cpus, loadavg, totalmem } from "node:os";

/** On what and with what a bench ran. */
export interface Surroundings {
  readonly date: string;
  readonly node: string;
  readonly v8: string;
  readonly planloom: string;
  readonly commit: string;
  readonly machine: string;
  /** Load of the last minute when the bench began. */
  readonly load: number;
}

export function surroundings(): Surroundings {
  const manifest = JSON.parse(readFileSync(new URL("../../packages/runtime/package.json", import.meta.url), "utf8"));
  const memory = Math.round(totalmem() / 2 ** 30);
  return {
    date: new Date().toISOString().slice(0, 10),
    node: process.versions.node,
    v8: process.versions.v8,
    planloom: String(manifest.version),
    commit: commit(),
    machine: `${availableParallelism()} × ${cpus()[0]?.model.trim() || "unknown processor"}, ${memory} GB, ${process.platform}`,
    load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
  };
}

function commit(): string {
  try {
    return execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
  } catch {
    return "unknown";
  }
}

export function surroundingsText(at: Surroundings): string {
  return `${at.date}, Planloom ${at.planloom} (${at.commit}), Node ${at.node}, V8 ${at.v8}, ${at.machine}, load ${at.load} when it began.`;
}

/** A Markdown table; numbers stand right. */
export function markdownTable(rows: readonly Readonly<Record<string, string | number>>[]): string {
  const names = Object.keys(rows[0] ?? {});
  const isNumber = (name: string) => rows.every((row) => typeof row[name] === "number" || row[name] === "");
  const rule = names.map((name) => (isNumber(name) ? "---:" : "---"));
  const line = (cells: readonly (string | number | undefined)[]) => `| ${cells.join(" | ")} |`;
  return [line(names), line(rule), ...rows.map((row) => line(names.map((name) => row[name])))].join("\n");
}

export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

const colours = ["#1b6ca8", "#c0392b", "#2e8b57", "#8e44ad", "#d68910", "#16a085", "#7f8c8d", "#34495e", "#b03a7a"];

/** A log-log plot with a legend, as SVG text. Legible on light and dark grounds. */
export function svgPlot({
  title,
  xName,
  yName,
  series,
  target,
}: {
  readonly title: string;
  readonly xName: string;
  readonly yName: string;
  readonly series: readonly Series[];
  /** A dashed line across. */
  readonly target?: { readonly name: string; readonly y: number };
}): string {
  const [width, height, left, right, top, bottom] = [760, 420, 70, 220, 40, 50];
  const points = series.flatMap((one) => one.points);
  const decades = (values: readonly number[]) =>
    [Math.floor(Math.log10(Math.min(...values))), Math.ceil(Math.log10(Math.max(...values)))] as const;
  const [x0, x1] = decades(points.map(([x]) => x));
  const [y0, y1] = decades([...points.map(([, y]) => y), ...(target ? [target.y] : [])]);
  const place = (value: number, from: number, to: number, start: number, end: number) =>
    Math.round((start + ((Math.log10(value) - from) / Math.max(1, to - from)) * (end - start)) * 10) / 10;
  const px = (x: number) => place(x, x0, x1, left, width - right);
  const py = (y: number) => place(y, y0, y1, height - bottom, top);
  const text = (x: number, y: number, words: string, more = "") =>
    `<text x="${x}" y="${y}" ${more}>${words.replaceAll("&", "&amp;").replaceAll("<", "&lt;")}</text>`;
  const parts: string[] = [];
  for (let x = x0; x <= x1; x++) {
    parts.push(`<path d="M${px(10 ** x)} ${top}V${height - bottom}" class="grid"/>`);
    parts.push(text(px(10 ** x), height - bottom + 18, (10 ** x).toLocaleString("en"), 'text-anchor="middle"'));
  }
  for (let y = y0; y <= y1; y++) {
    parts.push(`<path d="M${left} ${py(10 ** y)}H${width - right}" class="grid"/>`);
    parts.push(text(left - 8, py(10 ** y) + 4, (10 ** y).toLocaleString("en"), 'text-anchor="end"'));
  }
  if (target !== undefined) {
    parts.push(
      `<path d="M${left} ${py(target.y)}H${width - right}" stroke="#888" stroke-dasharray="6 4" fill="none"/>`,
    );
    parts.push(text(left + 6, py(target.y) - 6, target.name));
  }
  for (const [number, { name, points: line }] of series.entries()) {
    const colour = colours[number % colours.length];
    const path = line.map(([x, y], at) => `${at === 0 ? "M" : "L"}${px(x)} ${py(y)}`).join("");
    parts.push(`<path d="${path}" stroke="${colour}" stroke-width="2" fill="none"/>`);
    for (const [x, y] of line) parts.push(`<circle cx="${px(x)}" cy="${py(y)}" r="3.5" fill="${colour}"/>`);
    const legendY = top + 10 + number * 20;
    parts.push(`<circle cx="${width - right + 20}" cy="${legendY - 4}" r="5" fill="${colour}"/>`);
    parts.push(text(width - right + 32, legendY, name));
  }
  parts.push(text(left, 22, title, 'font-size="15" font-weight="600"'));
  parts.push(text((left + width - right) / 2, height - 10, xName, 'text-anchor="middle"'));
  parts.push(
    text(
      16,
      (top + height - bottom) / 2,
      yName,
      `text-anchor="middle" transform="rotate(-90 16 ${(top + height - bottom) / 2})"`,
    ),
  );
  const style =
    "text{font:12px sans-serif;fill:#555}.grid{stroke:#8884;fill:none}@media(prefers-color-scheme:dark){text{fill:#bbb}}";
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img"><title>${title}</title><style>${style}</style>${parts.join("")}</svg>\n`;
}
