import type { TaskRecord } from "@planloom/runtime";
import {
  outputFromStoredRow,
  recordsFromRows,
  type StoredOutput,
  type StoredTaskRow,
} from "@planloom/runtime/journal-parts";
import type { Queryable } from "../connection/database.ts";
import { decodeText, encodeText, keyOf } from "../connection/text.ts";

const columns = `task_id, input_hash, status, uid, attempts, started_at, duration_ms, skipped_because, input, output, output_blob, error,
  usage, timing, asked_hash, question`;

/** As `recordsFromRows`. @param outputs `small`: of large ones the size alone */
export async function readTasks(
  on: Queryable,
  schema: string,
  runId: string,
  outputs: "all" | "small",
): Promise<TaskRecord[]> {
  const value = outputs === "all" ? "blobs.value" : "octet_length(blobs.value)";
  const text = `SELECT ${columns}, ${value} AS value FROM ${schema}.tasks LEFT JOIN ${schema}.blobs
      ON blobs.run_id = tasks.run_id AND blobs.hash = tasks.output_blob WHERE tasks.run_id = $1 ORDER BY number`;
  const rows = await on.query<StoredTaskRow>({ text, values: [encodeText(runId)] });
  return recordsFromRows(rows.map(decoded), runId);
}

/** The output of a completed task; undefined where there is no such task. @throws RuntimeError JOURNAL_CORRUPT */
export async function readOutput(
  on: Queryable,
  schema: string,
  runId: string,
  taskId: string,
): Promise<{ readonly output: unknown } | undefined> {
  const text = `SELECT task_id, output, output_blob, blobs.value FROM ${schema}.tasks LEFT JOIN ${schema}.blobs
      ON blobs.run_id = tasks.run_id AND blobs.hash = tasks.output_blob
    WHERE tasks.run_id = $1 AND task_key = $2 AND status = 'completed' ORDER BY number LIMIT 1`;
  const [row] = await on.query<StoredOutput>({ text, values: [encodeText(runId), keyOf(taskId)] });
  return row && { output: outputFromStoredRow({ ...row, task_id: decodeText(row.task_id) }, runId) };
}

function decoded(row: StoredTaskRow): StoredTaskRow {
  const textOf = (value: string | null) => (value === null ? null : decodeText(value));
  return {
    ...row,
    task_id: decodeText(row.task_id),
    input_hash: decodeText(row.input_hash),
    uid: textOf(row.uid),
    skipped_because: textOf(row.skipped_because),
    asked_hash: textOf(row.asked_hash),
  };
}
