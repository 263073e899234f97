import type { NestedRecord, PendingUsage } from "./journal.ts";

/** The key of a task's pending usage. */
export function pendingKey({ path, scope, task_id }: Pick<PendingUsage, "path" | "scope" | "task_id">): string {
  return JSON.stringify(scope === undefined ? [...path, task_id] : [...path, scope, task_id]);
}

/** The key of the record of a task in a nested plan: that of its pending usage. */
export function nestedRecordKey({ path, scope, record }: NestedRecord): string {
  return pendingKey({ path, scope, task_id: record.task_id });
}
