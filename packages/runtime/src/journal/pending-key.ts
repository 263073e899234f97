import type { PendingUsage } from "./journal.ts";

/** What tells usage of one task from that of others. */
export function pendingKey({ path, scope, task_id }: Pick<PendingUsage, "path" | "scope" | "task_id">): string {
  return JSON.stringify(scope === undefined ? [...path, task_id] : [...path, scope, task_id]);
}
