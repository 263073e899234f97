import type { NestedRecord, PendingUsage, TaskRecord } from "../journal/journal.ts";
import { pendingKey } from "../journal/pending-key.ts";

/** The records with what their tasks may have used since; tasks that have none get one that says no more than that. */
export function withPending(records: readonly TaskRecord[], pending: readonly PendingUsage[]): TaskRecord[] {
  const left = new Map(pending.filter(({ path }) => path.length === 0).map((one) => [one.task_id, one]));
  const known = records.map((record) => {
    const usage = left.get(record.task_id)?.usage;
    left.delete(record.task_id);
    return usage === undefined ? record : { ...record, usage };
  });
  return [...known, ...[...left.values()].map(bareRecord)];
}

/** The same for tasks of nested plans. */
export function withNestedPending(records: readonly NestedRecord[], pending: readonly PendingUsage[]): NestedRecord[] {
  const left = new Map(pending.filter(({ path }) => path.length > 0).map((one) => [pendingKey(one), one]));
  const known = records.map((nested) => {
    const key = pendingKey({ path: nested.path, scope: nested.scope, task_id: nested.record.task_id });
    const usage = left.get(key)?.usage;
    left.delete(key);
    return usage === undefined ? nested : { ...nested, record: { ...nested.record, usage } };
  });
  const bare = [...left.values()].map((one) => ({ path: one.path, scope: one.scope ?? "", record: bareRecord(one) }));
  return [...known, ...bare];
}

function bareRecord({ task_id, uid, usage }: PendingUsage): TaskRecord {
  const none = { input_hash: "", status: "failed" as const, attempts: 0, started_at: 0, duration_ms: 0 };
  return { task_id, ...none, ...(uid !== undefined && { uid }), usage };
}
