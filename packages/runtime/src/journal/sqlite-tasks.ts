import { createHash } from "node:crypto";
import type { TaskRecord } from "./journal.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import { recordFromRow, type TaskRow } from "./task-row.ts";

/** Outputs above this many characters stand in a table of their own, each once, whichever tasks and runs have it. */
const largeOutput = 16 * 1024;

const insertText = `INSERT INTO tasks (run_id, task_id, input_hash, status, uid, attempts, started_at, duration_ms,
  skipped_because, input, output, output_blob, error, usage, timing, asked_hash)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET status = excluded.status, uid = excluded.uid, attempts = excluded.attempts,
  started_at = excluded.started_at, duration_ms = excluded.duration_ms, skipped_because = excluded.skipped_because,
  input = excluded.input, output = excluded.output, output_blob = excluded.output_blob, error = excluded.error,
  usage = excluded.usage, timing = excluded.timing, asked_hash = excluded.asked_hash`;

/** A task may have records of several inputs, of resumes among them; the completed one counts, else the last. */
export function readTasks(db: SqliteConnection, runId: string): TaskRecord[] {
  const text = `SELECT tasks.*, coalesce(output, value) AS output FROM tasks LEFT JOIN blobs ON hash = output_blob
      WHERE run_id = ? ORDER BY tasks.rowid`;
  const rows = db.all(text, runId) as unknown as TaskRow[];
  const records = new Map<string, TaskRecord>();
  for (const row of rows) {
    if (records.get(row.task_id)?.status !== "completed") records.set(row.task_id, recordFromRow(row));
  }
  return [...records.values()];
}

export function insertTask(db: SqliteConnection, runId: string, row: TaskRow): void {
  let { output } = row;
  let blob: string | null = null;
  if (output !== null && output.length > largeOutput) {
    blob = createHash("sha256").update(output).digest("hex");
    db.run("INSERT OR IGNORE INTO blobs (hash, value) VALUES (?, ?)", blob, output);
    output = null;
  }
  db.run(
    insertText,
    runId,
    row.task_id,
    row.input_hash,
    row.status,
    row.uid,
    row.attempts,
    row.started_at,
    row.duration_ms,
    row.skipped_because,
    row.input,
    output,
    blob,
    row.error,
    row.usage,
    row.timing,
    row.asked_hash,
  );
}
