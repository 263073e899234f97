import type { TaskError } from "../task-error.ts";
import type { AskedQuestion, TaskRecord, TaskTiming, TaskUsage } from "./journal.ts";
import { IllegibleRow, parseJson, parseRecord } from "./legible.ts";

const statuses: ReadonlySet<unknown> = new Set<TaskRecord["status"]>([
  "completed",
  "failed",
  "skipped",
  "waiting_approval",
]);

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
  readonly question: string | null;
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
    question: textOf(record.question),
  };
}

/** @throws IllegibleRow for a row that no journal of ours has written: it may come from elsewhere */
export function recordFromRow(row: TaskRow): TaskRecord {
  if (!statuses.has(row.status)) throw new IllegibleRow(String(row.status), "the status of a task");
  return {
    task_id: row.task_id,
    input_hash: row.input_hash,
    status: row.status,
    attempts: row.attempts,
    started_at: row.started_at,
    duration_ms: row.duration_ms,
    ...(row.uid !== null && { uid: row.uid }),
    ...(row.skipped_because !== null && { skipped_because: row.skipped_because }),
    ...(row.input !== null && { input: parseJson(row.input) }),
    ...(row.output !== null && { output: parseJson(row.output) }),
    ...(row.error !== null && { error: parseTaskError(row.error) }),
    ...(row.usage !== null && { usage: parseUsage(row.usage) }),
    ...(row.timing !== null && { timing: parseJson(row.timing) as TaskTiming }),
    ...(row.asked_hash !== null && { asked_hash: row.asked_hash }),
    ...(row.question !== null && { question: parseQuestion(row.question) }),
  };
}

function parseTaskError(text: string): TaskError {
  const error = parseRecord<TaskError>(text);
  if (typeof error.code === "string" && typeof error.message === "string") return error;
  throw new IllegibleRow(text, "an error");
}

function parseQuestion(text: string): AskedQuestion {
  const question = parseRecord<AskedQuestion>(text);
  if (typeof question.content_hash === "string" && typeof question.kind === "string") return question;
  throw new IllegibleRow(text, "a question");
}

function parseUsage(text: string): TaskUsage {
  const usage = parseRecord<TaskUsage>(text);
  const amounts: readonly unknown[] = [usage.calls, usage.tokens, usage.cost, usage.seconds];
  if (amounts.every((amount) => typeof amount === "number" && amount >= 0 && Number.isFinite(amount))) return usage;
  throw new IllegibleRow(text, "usage");
}

function textOf(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}
