import type { TaskRecord } from "./journal.ts";
import { type ChainEntry, rowDigest } from "./run-chain.ts";
import { taskKey } from "./sealed-tables.ts";
import type { SqliteConnection } from "./sqlite-connection.ts";
import {
  outputFromStoredRow,
  placeOutput,
  recordsFromRows,
  type StoredOutput,
  type StoredTaskRow,
  taskValues,
} from "./stored-task-row.ts";
import type { TaskRow } from "./task-row.ts";

const insertText = `INSERT INTO tasks (run_id, task_id, input_hash, status, uid, attempts, started_at, duration_ms,
  skipped_because, input, output, output_blob, error, usage, timing, asked_hash, question)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
  ON CONFLICT DO UPDATE SET status = excluded.status, uid = excluded.uid, attempts = excluded.attempts,
  started_at = excluded.started_at, duration_ms = excluded.duration_ms, skipped_because = excluded.skipped_because,
  input = excluded.input, output = excluded.output, output_blob = excluded.output_blob, error = excluded.error,
  usage = excluded.usage, timing = excluded.timing, asked_hash = excluded.asked_hash,
  question = excluded.question`;

/** A task may be asked about with one input, then with another, then with the first again: the last counts. */
const moveLast = `UPDATE tasks SET rowid = (SELECT max(rowid) + 1 FROM tasks)
  WHERE run_id = ? AND task_id = ? AND input_hash = ? AND EXISTS (SELECT 1 FROM tasks AS later
    WHERE later.run_id = tasks.run_id AND later.task_id = tasks.task_id AND later.rowid > tasks.rowid)`;

/** As `recordsFromRows`. @param outputs `small`: of large ones the size alone */
export function readTasks(db: SqliteConnection, runId: string, outputs: "all" | "small"): TaskRecord[] {
  const value = outputs === "all" ? "value" : "octet_length(value)";
  const text = `SELECT tasks.*, ${value} AS value FROM tasks LEFT JOIN blobs ON hash = output_blob
      WHERE run_id = ? ORDER BY tasks.rowid`;
  return recordsFromRows(db.each(text, runId) as Iterable<unknown> as Iterable<StoredTaskRow>, runId);
}

/**
 * The output of a completed task; undefined where there is no such task.
 * @throws RuntimeError JOURNAL_CORRUPT for a large output that is not what was written
 */
export function readOutput(
  db: SqliteConnection,
  runId: string,
  taskId: string,
): { readonly output: unknown } | undefined {
  const text = `SELECT task_id, output, output_blob, value FROM tasks LEFT JOIN blobs ON hash = output_blob
      WHERE run_id = ? AND task_id = ? AND status = 'completed' ORDER BY tasks.rowid LIMIT 1`;
  const row = db.get(text, runId, taskId) as StoredOutput | undefined;
  return row && { output: outputFromStoredRow(row, runId) };
}

/** @returns what was written, for the chain */
export function insertTask(db: SqliteConnection, runId: string, row: TaskRow): ChainEntry {
  const { output, blob } = placeOutput(row);
  if (blob !== null) db.run("INSERT OR IGNORE INTO blobs (hash, value) VALUES (?, ?)", blob, row.output);
  const values = taskValues(row, output, blob);
  db.run(insertText, runId, ...values);
  if (row.status === "waiting_approval") db.run(moveLast, runId, row.task_id, row.input_hash);
  const key = taskKey(row.task_id, row.input_hash);
  return ["tasks", key, rowDigest("tasks", key, values)];
}
