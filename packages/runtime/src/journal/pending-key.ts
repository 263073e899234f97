import type { PendingUsage } from "./journal.ts";

/** The key of a task's pending usage. */
export function pendingKey({ path, scope, task_id }: Pick<PendingUsage, "path" | "scope" | "task_id">): string {
  return JSON.stringify(scope === undefined ? [...path, task_id] : [...path, scope, task_id]);
}
