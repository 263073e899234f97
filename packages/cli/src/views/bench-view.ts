import type { BenchReport, ReportTable } from "../laboratory.ts";
import { count, plainLine, type Style } from "../terminal/style.ts";
import { renderRows } from "../terminal/table.ts";
import { headline, section } from "./heading.ts";

/** Rows of a table that are shown; the files have all. */
const MOST_ROWS = 8;

/** What a bench found, in short, and where the whole is. */
export function benchView(
  report: BenchReport,
  glance: ReportTable | undefined,
  files: readonly string[],
  style: Style,
): string {
  const { rows, adversarial, tables } = report;
  const plans = new Set(rows.map((row) => row.workload)).size;
  const strategies = new Set(rows.map((row) => row.strategy)).size;
  const title =
    rows.length === 0
      ? "Adversarial search"
      : `${strategies} ${strategies === 1 ? "strategy" : "strategies"} on ${count(plans, "plan")}, ${count(rows.length, "row")}`;
  const found = tables.filter((table) => table.title.startsWith("Strategies, "));
  return [
    headline(title, style),
    ...(glance === undefined ? [] : [tableView(glance, style)]),
    ...found.map((table) => tableView(table, style)),
    ...(adversarial === undefined ? [] : [worstView(adversarial, style)]),
    section("Written", "", style),
    ...files.map((file) => `  ${file}\n`),
  ].join("");
}

function tableView({ title, columns, rows }: ReportTable, style: Style): string {
  const shown = rows.slice(0, MOST_ROWS).map((row) => row.map((cell) => plainLine(String(cell))));
  const more = rows.length > shown.length ? style.paint("dim", `\n  … and ${rows.length - shown.length} more`) : "";
  const alignRight = new Set(columns.map((_, column) => column).slice(1));
  return `${section(title, "", style)}${renderRows(columns, shown, style, { alignRight })}${more}\n`;
}

/** For every strategy the plan on which it does worst, and which strategy beats it there. */
function worstView({ strategies, worst }: NonNullable<BenchReport["adversarial"]>, style: Style): string {
  const rows = strategies.map((name, at) => {
    const ratios = worst[at]!;
    const most = Math.max(...ratios);
    const exact = ratios[strategies.indexOf("exact")];
    const beaten = ratios.filter((ratio) => ratio > 1 + 5e-3).length;
    const optimum = exact === undefined || exact === 0 ? "" : exact.toFixed(2);
    return [
      name,
      // One that throws, or proposes no grouping, has no ratio anywhere.
      most === 0 ? "none" : most.toFixed(2),
      most === 0 ? "it grouped no plan" : strategies[ratios.indexOf(most)]!,
      optimum,
      `${beaten} of ${strategies.length - 1}`,
    ];
  });
  const columns = ["strategy", "worst", "against", "to exact", "beaten by"];
  return `${section("Adversarial search", "worst ratio found for each strategy", style)}${renderRows(columns, rows, style, { alignRight: new Set([1, 3, 4]) })}\n`;
}
