import type { Journal, TaskRecord } from "./journal.ts";
import type { LeaseOwner } from "./lease.ts";

/** Does what `record` of a journal does, before it returns. Throws what `record` rejects with. */
export type RecordNow = (runId: string, owner: LeaseOwner, records: readonly TaskRecord[]) => void;

/** By the journal itself, and not as a method of it: a journal that was made by spreading another one has a `record` of its own. */
const ofJournals = new WeakMap<object, RecordNow>();

/** Notes that `journal` keeps records without waiting for anything, so that nobody needs a promise and a time limit for each of them. */
export function keepsRecordsNow(journal: Journal, recordNow: RecordNow): Journal {
  ofJournals.set(journal, recordNow);
  return journal;
}

/** @returns undefined where `record` has to be awaited */
export function recordNowOf(journal: Journal): RecordNow | undefined {
  return ofJournals.get(journal);
}
