import { printable } from "@planloom/plan";
import type { AdversarialMatrix, BenchReport, ReportTable } from "./bench-report.ts";

/** The report as Markdown: all tables and the adversarial matrix; rows are in the JSON. */
export function markdownReport(report: BenchReport): string {
  const tables = report.adversarial === undefined ? report.tables : [...report.tables, matrixTable(report.adversarial)];
  return `# Optimizer bench\n\n${report.made}, ${report.machine}. ${report.rows.length} rows.\n\n${tables.map(markdownTable).join("\n")}`;
}

/** One table with its title and note. */
export function markdownTable({ title, note, columns, rows }: ReportTable): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => inMarkdown(String(cell))).join(" | ")} |`;
  const rule = columns.map((_, at) => (at === 0 ? "---" : "---:"));
  return `## ${inMarkdown(title)}\n\n${note}\n\n${[line(columns), line(rule), ...rows.map(line)].join("\n")}\n`;
}

/** Names are a plan file's or a strategy's own: on one line, and neither tags, links, code nor the next cell. */
function inMarkdown(text: string): string {
  return printable(text).replaceAll(/[\\|<[`]/g, "\\$&");
}

/** Worst ratios as a table: rows are judged, columns are what they are held against. */
export function matrixTable({ strategies, worst, seconds, evaluations }: AdversarialMatrix): ReportTable {
  return {
    title: "Adversarial search",
    note: `Worst makespan of the row's strategy over that of the column's that simulated annealing found (PISA, arXiv 2403.07120); ${evaluations} evaluations in ${seconds.toFixed(0)} s.`,
    columns: ["", ...strategies],
    rows: strategies.map((name, at) => [name, ...worst[at]!.map((ratio) => (ratio === 0 ? "" : ratio.toFixed(2)))]),
  };
}
