import type { Journal } from "./journal.ts";
import type { LeaseOwner } from "./lease.ts";
import { nestedRecordKey, pendingKey } from "./pending-key.ts";
import type { NestedRecord, PendingUsage, TaskRecord } from "./task-record.ts";

/** The records of a run and of all that is nested in it, and the calls of tasks that were begun again since. */
interface KnownRecords {
  readonly tasks: readonly TaskRecord[];
  readonly nested: readonly NestedRecord[];
  readonly pending: readonly PendingUsage[];
}

/** How a task ended that failed or was skipped. */
export type LostRecord = TaskRecord & Required<Pick<TaskRecord, "error">>;

/** True for a task that failed or was skipped, and that nobody has asked to be tried again since. */
export function isLost(record: TaskRecord): record is LostRecord {
  const { status, error } = record;
  return (status === "failed" || status === "skipped") && error !== undefined && error.details?.tried_again !== true;
}

/** Those of the records whose tasks failed or were skipped, and have not begun again since. */
export function lostRecords({ tasks, nested, pending }: KnownRecords): {
  readonly tasks: readonly LostRecord[];
  readonly nested: readonly NestedRecord[];
} {
  const begun = new Set(pending.map(pendingKey));
  return {
    tasks: tasks.filter(isLost).filter(({ task_id }) => !begun.has(pendingKey({ path: [], task_id }))),
    nested: nested.filter((each) => isLost(each.record) && !begun.has(nestedRecordKey(each))),
  };
}

/**
 * Notes that what was lost is tried again, so that a session which follows this one does not take it for lost, wherever this one is cut off. What was skipped because of
 * another task needs no note: it follows from that one.
 */
export async function noteTriedAgain(
  journal: Pick<Journal, "record" | "recordNested">,
  runId: string,
  owner: LeaseOwner,
  known: KnownRecords,
): Promise<void> {
  const { tasks, nested } = lostRecords(known);
  const own = tasks.filter(isOwnLoss);
  const inner = nested.filter(({ record }) => isOwnLoss(record));
  if (own.length > 0) await journal.record(runId, owner, own.map(triedAgain));
  if (inner.length > 0) {
    await journal.recordNested(
      runId,
      owner,
      inner.map((each) => ({ ...each, record: triedAgain(each.record) })),
    );
  }
}

const isOwnLoss = ({ skipped_because }: TaskRecord) => skipped_because === undefined;

function triedAgain(record: TaskRecord): TaskRecord {
  const { error } = record;
  return error === undefined
    ? record
    : { ...record, error: { ...error, details: { ...error.details, tried_again: true } } };
}
