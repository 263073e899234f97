import { checkStoredRun } from "./check-stored-run.ts";
import type { Journal, StoredRun } from "./journal.ts";
import { checkRunId, runNotFound } from "./run-id.ts";

/**
 * The run of exactly this id. A journal that also finds a run by the beginning of its id is refused: approving, resuming and
 * cancelling mean exactly one run.
 * @throws RuntimeError INVALID_OPTION, RUN_NOT_FOUND, JOURNAL_READ, JOURNAL_CORRUPT
 */
export async function loadRun(journal: Journal, runId: string): Promise<StoredRun> {
  checkRunId(runId);
  const run = await journal.getRun(runId);
  if (run.run_id !== runId) throw runNotFound(runId, journal.name);
  checkStoredRun(run, journal.name);
  return run;
}
