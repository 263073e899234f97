import { cpus } from "node:os";
import type { BenchReport } from "./bench-report.ts";
import { comparisonTables } from "./comparison-tables.ts";
import type { BenchRow } from "./row.ts";
import { comparisons } from "./statistics/comparison.ts";
import { boundTable, familyTable, strategyTables } from "./summary-tables.ts";

export interface ReportParts
  extends Partial<Pick<BenchReport, "tables" | "gantt" | "pareto" | "adversarial" | "provenance">> {
  readonly rows: readonly BenchRow[];
}

/** The report of a bench: tables made from the rows, after those that are given, and what is to be drawn. */
export function makeReport({ rows, tables = [], ...figures }: ReportParts): BenchReport {
  const families = new Set(rows.map((row) => row.family)).size > 1 ? ["portfolio", "anytime"] : [];
  const own =
    rows.length === 0
      ? []
      : [
          ...strategyTables(rows),
          ...comparisonTables(comparisons(rows)),
          ...families.map((name) => familyTable(rows, name)),
          boundTable(rows),
        ];
  return {
    format: "planloom-bench/1",
    made: `${new Date().toISOString().slice(0, 16).replace("T", " ")} UTC`,
    machine: `${cpus().length} x ${cpus()[0]?.model.trim() ?? "unknown"}, Node.js ${process.version}`,
    tables: [...tables, ...own.filter((table) => table !== undefined)],
    rows,
    ...figures,
  };
}
