import type { OptionChecks } from "@planloom/plan";
import { checkOptions, ofJournal } from "../check-options.ts";
import { guardJournal } from "../edge/guard-journal.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { invalid } from "../invalid-option.ts";
import type { Journal } from "../journal/journal.ts";
import { loadRun } from "../journal/load-run.ts";
import { checkTaskId } from "../journal/run-id.ts";
import { LiveRuns } from "../live-runs.ts";

export interface MarkOptions {
  readonly journal: Journal;
  /** Limit for one call of the journal, in milliseconds. @default 30_000 */
  readonly journalTimeoutMs?: number | undefined;
  /** Wishes in words, passed to `replan`. */
  readonly note?: string;
}

const checks = { ...ofJournal, note: "text" } as const satisfies OptionChecks<MarkOptions>;

/**
 * Has tasks of a run replaced while this process executes it: those that have not begun before they do, one that runs once
 * it has ended, a completed one with all that consumed its output. The run needs a replan policy; the change counts in its
 * `maxReplans`, and is announced by `patch-request` with the cause `person`, then `patch-apply` or `patch-refuse`.
 * It is kept in the journal: where the process ends before that, the session that resumes the run asks for it.
 * @param runId the run's whole id.
 * @returns once it is asked for, and kept
 * @throws RuntimeError RUN_NOT_FOUND, TASK_NOT_FOUND; NOT_RUNNING for a run that is not executed in this process,
 *   or has no replan policy
 */
export async function markTasks(
  runId: string,
  taskIds: readonly string[],
  options: MarkOptions,
): Promise<{ readonly run_id: string }> {
  checkOptions("`markTasks`", options, checks);
  const { note } = options;
  const journal = guardJournal(options.journal, options.journalTimeoutMs);
  if (!Array.isArray(taskIds) || taskIds.length === 0) throw invalid("taskIds", "a list of at least one id", taskIds);
  for (const id of taskIds) checkTaskId(id, "taskIds");
  const { run_id } = await loadRun(journal, runId);
  const mark = markableRuns.find(journal, run_id);
  if (mark === undefined) throw notMarkable(run_id);
  await mark(taskIds, note);
  return { run_id };
}

/** Marks tasks of a run to be replaced. */
export const markableRuns = new LiveRuns<(taskIds: readonly string[], note: string | undefined) => Promise<void>>();

/** Of a run that is still in its process. */
export function onlyWaits(runId: string): RuntimeError {
  return new RuntimeError(
    RuntimeErrorCode.NOT_RUNNING,
    `Run ${runId} only waits now, and its plan does not change meanwhile. Mark again once it continues; or drain it (\`cancelRun\` with mode "drain"), replan it and resume it.`,
    { details: { run_id: runId } },
  );
}

export function notMarkable(runId: string): RuntimeError {
  return new RuntimeError(
    RuntimeErrorCode.NOT_RUNNING,
    `Run ${runId} is not executed in this process with a replan policy. Where another process runs it, drain it (\`cancelRun\` with mode "drain"), replan it and resume it.`,
    { details: { run_id: runId } },
  );
}
