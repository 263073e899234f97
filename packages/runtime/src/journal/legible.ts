import { isRecord } from "@planloom/plan";
import type { NestedRecord, StoredCertificate, StoredEvent, TaskTiming } from "./journal.ts";

/** Whether what a journal holds as a certificate is one: a journal may come from elsewhere. */
export function isCertificate(value: unknown): value is StoredCertificate {
  if (!isRecord(value) || !isRecord(value.limits)) return false;
  const { began_at, limits, lower_bound_ms, achieved_ms, ratio, waits } = value;
  return (
    [began_at, lower_bound_ms, achieved_ms, ratio].every(isNumber) &&
    (limits.concurrency === null || isNumber(limits.concurrency)) &&
    isNumbers(limits.kinds) &&
    isNumbers(limits.resources) &&
    (waits === undefined || isNumbers(waits))
  );
}

/** Whether what a journal holds as a task's times are times. */
export function isTiming(value: unknown): value is TaskTiming {
  if (!isRecord(value)) return false;
  const { ended_at, spans, slot_ms } = value;
  const isSpan = (span: unknown) => Array.isArray(span) && span.length === 2 && span.every(isNumber);
  return (
    isNumber(ended_at) &&
    (slot_ms === undefined || isNumber(slot_ms)) &&
    (spans === undefined || (Array.isArray(spans) && spans.every(isSpan)))
  );
}

/** The record that a row holds as JSON. @throws Error for any other value */
export function parseRecord<T extends object>(text: string): T {
  const value: unknown = JSON.parse(text);
  if (!isRecord(value)) throw new Error(`a row holds ${text.slice(0, 40)} where a record should be`);
  return value as T;
}

/** The record of a task of a nested plan that a row holds. @throws Error for any other value */
export function parseNested(text: string): NestedRecord {
  const nested = parseRecord<NestedRecord>(text);
  const { path, record }: { readonly path: unknown; readonly record: unknown } = nested;
  if (Array.isArray(path) && isRecord(record) && typeof record.task_id === "string") return nested;
  throw new Error(`a row holds ${text.slice(0, 40)} where the record of a nested task should be`);
}

/** The event that a row holds. Up to format 8 a completed task's has `output: null`, whatever the output was. @throws Error for any other value */
export function parseEvent(text: string): StoredEvent {
  const event = parseRecord<StoredEvent & { output?: unknown }>(text);
  if (typeof event.type !== "string") throw new Error(`a row holds ${text.slice(0, 40)} where an event should be`);
  if (event.type === "task-end") delete event.output;
  return event;
}

function isNumber(value: unknown): boolean {
  return typeof value === "number";
}

function isNumbers(value: unknown): boolean {
  return isRecord(value) && Object.values(value).every(isNumber);
}
