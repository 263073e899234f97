import type { TaskData } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { type StoredRevision, tasksAddedBy, withRevisions } from "../ports/stored-revision.ts";
import type { StoredCertificate, StoredOptions, StoredRun } from "./journal.ts";
import { parseJson } from "./legible.ts";
import type { RunColumns } from "./run-rows.ts";

/** The row of a run in a table. */
export interface RunRow extends RunColumns {
  /** As JSON. */
  readonly certificate: string | null;
}

/**
 * A run of what a store has read of it: its row, the plan it was begun with and the revisions since.
 * @param journal its name, for the message. @throws RuntimeError JOURNAL_CORRUPT where the plan has not as many tasks as it was written with
 */
export function assembleRun(
  journal: string,
  { run_id, status, created_at, updated_at, certificate, tasks }: RunRow,
  begun: { readonly plan: TaskData; readonly options: StoredOptions },
  revisions: readonly StoredRevision[],
): StoredRun {
  const run: StoredRun = {
    run_id,
    status,
    created_at,
    updated_at,
    ...begun,
    ...(certificate !== null && { certificate: parseJson(certificate) as StoredCertificate }),
  };
  const begunWith = revisions.reduce((count, revision) => count - tasksAddedBy(revision), tasks);
  if (begunWith !== run.plan.planned_tasks.length) {
    throw new RuntimeError(
      RuntimeErrorCode.JOURNAL_CORRUPT,
      `The journal ${journal} is damaged: run "${run_id}" was begun with ${begunWith} tasks, and ${run.plan.planned_tasks.length} of them are there. Restore the file from a copy, or start the run again.`,
      { details: { run_id, problems: [] } },
    );
  }
  return withRevisions(run, revisions);
}
