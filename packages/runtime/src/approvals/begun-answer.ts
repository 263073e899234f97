import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import type { Journal, TaskRecord } from "../journal/journal.ts";
import { addressOf } from "../nested-keeping.ts";

/**
 * A call that was begun and has not come back is not a call whose input does not exist yet: the person who answers must know that it may
 * have been carried out.
 * @param taskId the task's id, or the id of a call in it; with or without `#begun`.
 * @throws RuntimeError NOT_YET_ASKED with `details.begun_at` where such a call is the task's, or in it
 */
export async function refuseBegun(
  run_id: string,
  taskId: string,
  records: readonly TaskRecord[],
  journal: Journal,
): Promise<void> {
  const id = taskId.replace(/#begun$/, "");
  const over = records.some(
    ({ task_id, status }) => task_id === id && (status === "completed" || status === "skipped"),
  );
  if (over) return;
  for (const { path, task_id, begun } of await journal.getPendingUsage(run_id)) {
    const call = addressOf(path, task_id);
    if (begun === undefined || !(call === id || call.startsWith(`${id}/`))) continue;
    const message = `The call of "${begun.uid}" by task "${call}" of run ${run_id} was begun at ${begun.at} and has not come back, so it is unknown whether it was carried out. If the run's process has ended, resume the run first: it then asks what is to become of the call. If the process is alive, wait for the call.`;
    throw new RuntimeError(RuntimeErrorCode.NOT_YET_ASKED, message, {
      details: { run_id, task_id: taskId, waits_for: [], begun_at: begun.at },
    });
  }
}
