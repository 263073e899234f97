import type { ChainEnd, SealedRow, SealedRun } from "./sealed-run.ts";
import { runColumns, taskColumns } from "./sealed-tables.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";

/** Gives `key` and the values that are covered, for one run id, in the order in which they were written. */
const rowsOf: Readonly<Record<string, string>> = {
  plans: "SELECT '' AS key, plan, options FROM plans WHERE run_id = ?",
  plan_parts: "SELECT CAST(part AS TEXT) AS key, tasks FROM plan_parts WHERE run_id = ? ORDER BY part",
  tasks: `SELECT substr(input_hash, 1, 12) || ' ' || task_id AS key, ${taskColumns.join(", ")} FROM tasks WHERE run_id = ? ORDER BY rowid`,
  nested_tasks: "SELECT key, record FROM nested_tasks WHERE run_id = ? ORDER BY rowid",
  answers:
    "SELECT coalesce(iif(json_valid(answer), json_extract(answer, '$.task_id'), ''), '') AS key, answer FROM answers WHERE run_id = ? ORDER BY rowid",
  signals: "SELECT id AS key, signal FROM signals WHERE run_id = ? ORDER BY rowid",
  revisions: "SELECT patch_id AS key, base, revision FROM revisions WHERE run_id = ? ORDER BY rowid",
  replaced_tasks: "SELECT task_id AS key FROM replaced_tasks WHERE run_id = ?",
  pending_usage: "SELECT key, pending FROM pending_usage WHERE run_id = ?",
  model_calls: "SELECT '' AS key, call FROM model_calls WHERE run_id = ? ORDER BY rowid",
  events: "SELECT '' AS key, event FROM events WHERE run_id = ? ORDER BY rowid",
};

/** Tables in which most runs have no row: one statement says which of them a run has rows in, and the others are not read. */
const sparseTables = [
  "nested_tasks",
  "answers",
  "signals",
  "revisions",
  "replaced_tasks",
  "pending_usage",
  "model_calls",
  "events",
] as const;
const filled = `SELECT ${sparseTables.map((table) => `EXISTS (SELECT 1 FROM ${table} WHERE run_id = this.id) AS ${table}`).join(", ")} FROM (SELECT ? AS id) AS this`;

export interface SqliteSealedRun extends SealedRun {
  /** Whether the run has rows in the table. */
  has(table: (typeof sparseTables)[number]): boolean;
}

/** What is stored of a run, read row by row in the caller's transaction. */
export function sqliteSealedRun(db: SqliteConnection, runId: string): SqliteSealedRun {
  const columns = ["chain_length", "chain_head", "chain_key", ...runColumns].join(", ");
  const row = (db.get(`SELECT ${columns} FROM runs WHERE run_id = ?`, runId) ?? {}) as SealedRow;
  const isFilled = db.get(filled, runId)!;
  return {
    runId,
    has: (table) => isFilled[table] !== 0,
    end: row as unknown as ChainEnd,
    row,
    links: () => db.each("SELECT link, entries, head FROM chain WHERE run_id = ? ORDER BY link", runId),
    rows: (table) => (isFilled[table] === 0 ? [] : db.each(rowsOf[table] ?? "", runId)),
    outputs: () =>
      db.each(
        `SELECT task_id, output_blob, value FROM tasks LEFT JOIN blobs ON hash = output_blob
          WHERE run_id = ? AND output_blob IS NOT NULL`,
        runId,
      ),
  };
}
