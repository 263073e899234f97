import { shownName } from "@planloom/plan/internals";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { invalid } from "../invalid-option.ts";

/** @throws RuntimeError INVALID_OPTION for what cannot be the id of a run */
export function checkRunId(runId: unknown): asserts runId is string {
  if (typeof runId !== "string" || runId === "")
    throw invalid("runId", "the id of a run (a text that is not empty)", runId);
}

/** @throws RuntimeError INVALID_OPTION for what cannot be the id of a task */
export function checkTaskId(taskId: unknown, option = "taskId"): asserts taskId is string {
  if (typeof taskId !== "string" || taskId === "")
    throw invalid(option, "the id of a task (a text that is not empty)", taskId);
}

/** Of one task, or of each of a list. @throws RuntimeError INVALID_OPTION */
export function checkTaskIds(taskIds: unknown): void {
  if (!Array.isArray(taskIds)) checkTaskId(taskIds);
  else for (const id of taskIds) checkTaskId(id);
}

/** @param options why the journal may have had the run, and has it no more: its log was damaged, or what `lost` says. */
export function runNotFound(
  runId: string,
  journal: string,
  { isLogDamaged = false, lost: why = "" }: { readonly isLogDamaged?: boolean; readonly lost?: string } = {},
): RuntimeError {
  const lost = isLogDamaged
    ? ` The log of the journal (${journal}-wal) was cut or damaged when the journal was opened, so that what was written last may be lost; restore both files from a copy.`
    : why && ` ${why}`;
  return new RuntimeError(
    RuntimeErrorCode.RUN_NOT_FOUND,
    `No run ${JSON.stringify(shownName(runId))} is in the journal (${journal}). Give the whole id, not its beginning.${lost}`,
    { details: { run_id: runId, ...(isLogDamaged && { log_damaged: true }) } },
  );
}

export function runExists(runId: string): RuntimeError {
  const message = `A run "${shownName(runId)}" is in the journal already.`;
  return new RuntimeError(RuntimeErrorCode.RUN_EXISTS, message, { details: { run_id: runId } });
}

export function taskNotFound(runId: string, taskId: string): RuntimeError {
  const message = `Run ${runId} has no completed task "${taskId}".`;
  return new RuntimeError(RuntimeErrorCode.TASK_NOT_FOUND, message, { details: { run_id: runId, task_id: taskId } });
}
