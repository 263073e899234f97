import type { BenchReport, ReportTable } from "./bench-report.ts";
import { type Figure, type FigureGroup, type LegendEntry, legendShape, loadDrawing } from "./figures/drawing.ts";
import { reportFigures } from "./figures/report-figures.ts";
import { glanceTable } from "./glance-table.ts";
import { reportStyle } from "./report-style.ts";

/** Widths of plots in CSS pixels: on a wide screen for one, two or three side by side, and on a phone. */
const WIDE = [1050, 510, 335] as const;
const TABLET = [680, 340, 340] as const;
const PHONE = 340;

/**
 * The report as one HTML file without scripts or outside resources: plots as SVG, made by Observable Plot on a DOM of
 * linkedom. It is light or dark as the reader's system is, and readable on a phone.
 */
export async function htmlReport(report: BenchReport): Promise<string> {
  const draw = await loadDrawing();
  const { rows } = report;
  const groups = reportFigures(report);
  const figures = groups.map((group) => section(group.id, group.title, group.note, figureGroup(group, draw)));
  const glance = rows.length === 0 ? [] : [glanceTable(rows)];
  const tables = report.tables.map((each, at) => ({ each, id: `table-${at + 1}` }));
  const contents = [
    ...groups.map(({ id, title }) => ({ id, title })),
    ...(tables.length === 0 ? [] : [{ id: tables[0]!.id, title: "Tables" }]),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Planloom optimizer bench</title>
<style>${reportStyle}</style>
</head>
<body>
<header>
<h1>Optimizer bench</h1>
<p class="lead">${escaped(lead(report))}</p>
<p class="made">${escaped(report.made)} · ${escaped(report.machine)}</p>
<nav aria-label="Contents">${contents.map(({ id, title }) => `<a href="#${id}">${escaped(title)}</a>`).join("")}</nav>
</header>
<main>
${glance.map((each) => section("glance", each.title, each.note, table(each))).join("\n")}
${figures.join("\n")}
${tables.map(({ each, id }) => section(id, each.title, each.note, table(each))).join("\n")}
</main>
<footer>Made by Planloom. Every makespan is simulated and verified; every bound is proved.</footer>
</body>
</html>
`;
}

function lead({ rows, adversarial }: BenchReport): string {
  const distinct = (pick: (row: BenchReport["rows"][number]) => string) => new Set(rows.map(pick)).size;
  const strategies = counted(
    distinct((row) => row.strategy),
    "strategy",
    "strategies",
  );
  const plans = counted(
    distinct((row) => row.workload),
    "plan",
    "plans",
  );
  const environments = counted(
    distinct((row) => row.environment),
    "environment",
    "environments",
  );
  const rowsSaid = `${strategies} on ${plans} in ${environments}: ${counted(rows.length, "row", "rows")}, each held against a bound that is proved.`;
  const pairs = adversarial === undefined ? 0 : adversarial.strategies.length * (adversarial.strategies.length - 1);
  const pairsSaid = `The worst plan for each of ${counted(pairs, "ordered pair", "ordered pairs")} of strategies was looked for.`;
  return [...(rows.length > 0 ? [rowsSaid] : []), ...(pairs > 0 ? [pairsSaid] : [])].join(" ");
}

const counted = (count: number, one: string, more: string) =>
  `${count.toLocaleString("en")} ${count === 1 ? one : more}`;

function section(id: string, title: string, note: string, content: string): string {
  return `<section id="${id}"><h2>${escaped(title)}</h2><p class="note">${escaped(note)}</p>${content}</section>`;
}

function figureGroup(group: FigureGroup, draw: (figure: Figure, width: number) => string): string {
  const { figures, fixedWidth } = group;
  const columns = figures.length === 2 || figures.length === 4 ? 2 : Math.min(3, figures.length);
  const drawn = figures.map((figure) => {
    const head = figure.title === "" ? "" : `<figcaption>${escaped(figure.title)}</figcaption>`;
    const plots =
      fixedWidth === undefined
        ? [
            ["desk", WIDE[columns - 1] ?? PHONE],
            ["tablet", TABLET[columns - 1] ?? PHONE],
            ["phone", PHONE],
          ]
            .map(([device, width]) => `<div class="${device}">${draw(figure, Number(width))}</div>`)
            .join("")
        : `<div class="scroll" tabindex="0" style="--least:${fixedWidth}px">${draw(figure, fixedWidth)}</div>`;
    return `<figure>${head}${plots}</figure>`;
  });
  const legend = group.legend.length === 0 ? "" : `<ul class="legend">${group.legend.map(legendEntry).join("")}</ul>`;
  return `${legend}<div class="figures" style="--columns:${columns}">${drawn.join("")}</div>`;
}

function legendEntry(entry: LegendEntry): string {
  return `<li><svg width="22" height="12" viewBox="0 0 22 12" aria-hidden="true">${legendShape(entry, 0, 6)}</svg>${escaped(entry.name)}</li>`;
}

function table({ title, columns, rows }: ReportTable): string {
  const head = columns.map((name) => `<th scope="col">${escaped(name)}</th>`).join("");
  const body = rows.map(([first = "", ...others]) => {
    const cells = others.map((cell) => `<td>${escaped(String(cell))}</td>`).join("");
    return `<tr><th scope="row">${escaped(String(first))}</th>${cells}</tr>`;
  });
  return `<div class="scroll" tabindex="0" role="region" aria-label="${escaped(title)}"><table><thead><tr>${head}</tr></thead><tbody>${body.join("")}</tbody></table></div>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
