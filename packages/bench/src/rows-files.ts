import type { BenchRow } from "./row.ts";

/** A column of the table of rows: nested figures have names of their own. */
type Cell = string | number | null;

/** The columns in their order, and what a row has in each. */
const COLUMNS: readonly (readonly [name: string, kind: "text" | "number" | "count", of: (row: BenchRow) => Cell])[] = [
  ["workload", "text", (row) => row.workload],
  ["family", "text", (row) => row.family],
  ["tasks", "count", (row) => row.tasks],
  ["edges", "count", (row) => row.edges],
  ["strategy", "text", (row) => row.strategy],
  ["environment", "text", (row) => row.environment],
  ["executors", "number", (row) => row.executors],
  ["overhead", "number", (row) => row.overhead],
  ["seed", "count", (row) => row.seed],
  ["makespan_ms", "number", (row) => row.makespanMs],
  ["bound_ms", "number", (row) => row.boundMs],
  ["bound_by", "text", (row) => row.boundBy],
  ["ratio", "number", (row) => row.ratio],
  ["dispatches", "count", (row) => row.dispatches],
  ["rounds", "count", (row) => row.rounds],
  ["parallelism", "number", (row) => row.parallelism],
  ["cut_bytes", "number", (row) => row.cutBytes],
  ["tokens", "number", (row) => row.tokens],
  ["price", "number", (row) => row.price],
  ["ignores", "text", (row) => row.ignores?.join(", ") ?? null],
  ["expected_rework_ms", "number", (row) => row.expectedReworkMs],
  ["noisy_03_ms", "number", (row) => row.noisyMs["0.3"]],
  ["noisy_03_interval_ms", "number", (row) => row.noisyIntervalMs["0.3"]],
  ["noisy_1_ms", "number", (row) => row.noisyMs["1"]],
  ["noisy_1_interval_ms", "number", (row) => row.noisyIntervalMs["1"]],
  ["unknown_ms", "number", (row) => row.unknownMs],
  ["optimize_ms", "number", (row) => row.optimizeMs],
  ["key", "text", (row) => row.key],
];

/** The rows as CSV (RFC 4180) with a line of names; what is unlimited or unknown is empty. */
export function rowsCsv(rows: readonly BenchRow[]): string {
  const lines = [COLUMNS.map(([name]) => name), ...rows.map((row) => COLUMNS.map(([, , of]) => field(of(row))))];
  return `${lines.map((line) => line.join(",")).join("\r\n")}\r\n`;
}

function field(cell: Cell): string {
  const text = cell === null ? "" : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The same columns as a Parquet file, by hyparquet-writer; `null` where CSV is empty. */
export async function rowsParquet(rows: readonly BenchRow[]): Promise<Uint8Array> {
  const { parquetWriteBuffer } = await import("hyparquet-writer");
  const columnData = COLUMNS.map(([name, kind, of]) => {
    const cells = rows.map(of);
    if (kind === "text") return { name, data: cells, type: "STRING" as const, nullable: true };
    // Seeds may be any numbers.
    if (kind === "number" || !cells.every(Number.isSafeInteger))
      return { name, data: cells, type: "DOUBLE" as const, nullable: true };
    return { name, data: cells.map((cell) => BigInt(cell!)), type: "INT64" as const, nullable: true };
  });
  return new Uint8Array(parquetWriteBuffer({ columnData }));
}
