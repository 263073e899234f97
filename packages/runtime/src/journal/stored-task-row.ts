import { hash } from "node:crypto";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import type { TaskRecord } from "./journal.ts";
import { parseJson } from "./legible.ts";
import type { ChainValue } from "./run-chain.ts";
import { recordFromRow, type TaskRow } from "./task-row.ts";

/** Outputs above this many characters are in a table of their own, under the checksum of their text. */
const largeOutput = 16 * 1024;

/** A row of the table of tasks; `value` is the large output, or its size in bytes, null where it is gone. */
export type StoredTaskRow = TaskRow & { readonly output_blob: string | null; readonly value: string | number | null };

/** Where the output of a record is kept: in its row, or under a checksum elsewhere. */
export function placeOutput({ output }: Pick<TaskRow, "output">): {
  readonly output: string | null;
  readonly blob: string | null;
} {
  if (output === null || output.length <= largeOutput) return { output, blob: null };
  return { output: null, blob: hash("sha256", output) };
}

/** The values of `taskColumns`, in their order. @param output what is kept in the row; @param blob the checksum of what is kept elsewhere */
export function taskValues(row: TaskRow, output: string | null, blob: string | null): ChainValue[] {
  return [
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
    row.question,
  ];
}

/** The columns that an output is read of. */
export type StoredOutput = Pick<StoredTaskRow, "task_id" | "output" | "output_blob"> & {
  readonly value: string | null;
};

/** @throws RuntimeError JOURNAL_CORRUPT for a large output that is not what was written */
export function recordFromStoredRow(row: StoredTaskRow, runId: string): TaskRecord {
  const { output_blob, value } = row;
  if (output_blob === null) return recordFromRow(row);
  if (typeof value === "number") return { ...recordFromRow(row), output_bytes: value };
  return recordFromRow({ ...row, output: outputText({ ...row, value }, runId) });
}

/** The output alone, without the input, which may be as large. @throws as `recordFromStoredRow` */
export function outputFromStoredRow(row: StoredOutput, runId: string): unknown {
  const text = outputText(row, runId);
  return text === null ? undefined : parseJson(text);
}

function outputText({ task_id, output, output_blob, value }: StoredOutput, runId: string): string | null {
  // Large outputs are stored under the checksum of their text.
  if (output_blob === null) return output;
  if (value !== null && hash("sha256", value) === output_blob) return value;
  const what = value === null ? "is missing" : "is not what was written";
  throw new RuntimeError(
    RuntimeErrorCode.JOURNAL_CORRUPT,
    `The journal is damaged: the output of task "${task_id}" of run "${runId}" ${what}. Restore the file from a copy, or start the run again.`,
    { details: { run_id: runId, problems: [] } },
  );
}

/**
 * The records of the tasks of a run. A task may have several, of several inputs or of resumes; the completed one counts, else the last.
 * @param rows oldest first. @throws RuntimeError JOURNAL_CORRUPT for a large output that is not what was written
 */
export function recordsFromRows(rows: Iterable<StoredTaskRow>, runId: string): TaskRecord[] {
  const records = new Map<string, TaskRecord>();
  for (const row of rows) {
    if (records.get(row.task_id)?.status === "completed") continue;
    records.set(row.task_id, recordFromStoredRow(row, runId));
  }
  return [...records.values()];
}
