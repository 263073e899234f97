import type { TaskRecord } from "./journal.ts";

/** A `TaskRecord` as a table holds it: JSON as text, absent values as null. */
export interface TaskRow {
  readonly task_id: string;
  readonly input_hash: string;
  readonly status: TaskRecord["status"];
  readonly uid: string | null;
  readonly attempts: number;
  readonly started_at: number;
  readonly duration_ms: number;
  readonly skipped_because: string | null;
  readonly input: string | null;
  readonly output: string | null;
  readonly error: string | null;
  readonly usage: string | null;
  readonly timing: string | null;
  readonly asked_hash: string | null;
}

export function recordToRow(record: TaskRecord): TaskRow {
  return {
    task_id: record.task_id,
    input_hash: record.input_hash,
    status: record.status,
    uid: record.uid ?? null,
    attempts: record.attempts,
    started_at: record.started_at,
    duration_ms: record.duration_ms,
    skipped_because: record.skipped_because ?? null,
    input: textOf(record.input),
    output: textOf(record.output),
    error: textOf(record.error),
    usage: textOf(record.usage),
    timing: textOf(record.timing),
    asked_hash: record.asked_hash ?? null,
  };
}

export function recordFromRow(row: TaskRow): TaskRecord {
  return {
    task_id: row.task_id,
    input_hash: row.input_hash,
    status: row.status,
    attempts: row.attempts,
    started_at: row.started_at,
    duration_ms: row.duration_ms,
    ...(row.uid !== null && { uid: row.uid }),
    ...(row.skipped_because !== null && { skipped_because: row.skipped_because }),
    ...(row.input !== null && { input: JSON.parse(row.input) }),
    ...(row.output !== null && { output: JSON.parse(row.output) }),
    ...(row.error !== null && { error: JSON.parse(row.error) }),
    ...(row.usage !== null && { usage: JSON.parse(row.usage) }),
    ...(row.timing !== null && { timing: JSON.parse(row.timing) }),
    ...(row.asked_hash !== null && { asked_hash: row.asked_hash }),
  };
}

function textOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
