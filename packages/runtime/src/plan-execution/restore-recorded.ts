import type { PlannerTask, PlanView } from "@planloom/plan";
import { advance } from "../core/advance.ts";
import type { RecordedEnd } from "../core/core-event.ts";
import type { TaskRecord } from "../journal/journal.ts";
import type { LostRecord } from "../journal/lost-records.ts";
import { skipCauseOf } from "../task-execution/task-ends.ts";
import type { Session } from "./session.ts";

/**
 * Takes over what earlier sessions recorded.
 * @param replaced tasks that are no longer in the plan; their usage still counts
 * @param lost of the records, those of tasks that failed or were skipped and are not tried again
 */
export function restoreRecorded(
  session: Session,
  records: readonly TaskRecord[],
  replaced: ReadonlyMap<string, PlannerTask>,
  lost: readonly LostRecord[],
): void {
  const { runnable, table, earlier } = session.plan;
  const { admission } = session.whole;
  for (const record of records) {
    const number = runnable.view.indexOf(record.task_id);
    const gone = number === -1 ? replaced.get(record.task_id) : undefined;
    if (gone !== undefined) admission.restore(gone, record);
    if (number !== -1) {
      admission.restore(table.tasks[number]!, record);
      if (record.usage !== undefined) table.usage.set(number, record.usage);
    }
    if (number === -1) continue;
    if (record.status !== "completed") {
      if (record.question !== undefined) earlier.set(record.task_id, record);
    } else if (record.output_bytes !== undefined && record.output === undefined) {
      restoreStored(session, number, record.output_bytes, record.uid);
    } else restore(session, number, record.output, record.uid);
  }
  for (const [number, task] of runnable.plan.planned_tasks.entries()) {
    if (task.status === "completed") restore(session, number, task.output);
  }
  for (const record of lost) {
    const number = runnable.view.indexOf(record.task_id);
    if (number !== -1) restoreLoss(session, number, record);
  }
}

/** Takes over the output of a task that was completed before. */
export function restore({ plan, whole }: Session, number: number, output: unknown, uid?: string): void {
  const { state, table } = plan;
  if (table.recorded[number] === 1) return;
  table.recorded[number] = 1;
  table.outputs.set(number, output ?? null);
  table.uids[number] = uid;
  whole.admission.learn(output);
  advance(state, { type: "recorded", task: number });
}

/** Takes over that a task failed or was skipped before; it is neither executed nor reported again. */
export function restoreLoss({ plan }: Session, number: number, record: LostRecord): void {
  const { state, table, runnable } = plan;
  const end = endOf(record, runnable.view);
  if (table.recorded[number] === 1 || end === undefined) return;
  table.recorded[number] = 1;
  table.errors[number] = record.error;
  table.uids[number] = record.uid;
  advance(state, { type: "recorded", task: number, ...end });
}

/** @returns undefined where it was skipped because of a task that has been replaced since */
function endOf({ status, error, skipped_because }: LostRecord, view: PlanView): RecordedEnd | undefined {
  if (status === "failed") return { as: "failed" };
  if (skipped_because === undefined) return { as: "skipped", cause: skipCauseOf(error) };
  const because = view.indexOf(skipped_because);
  return because === -1 ? undefined : { as: "skipped", because };
}

/** As `restore`, with the output left where it is. */
function restoreStored({ plan }: Session, number: number, bytes: number, uid: string | undefined): void {
  const { state, table } = plan;
  if (table.recorded[number] === 1) return;
  table.recorded[number] = 1;
  table.outputs.setStored(number, bytes);
  table.uids[number] = uid;
  advance(state, { type: "recorded", task: number });
}
