import type { PlannerTask } from "@planloom/plan";
import { advance } from "../core/advance.ts";
import type { TaskRecord } from "../journal/journal.ts";
import type { Session } from "./session.ts";

/** Takes over what earlier sessions recorded. @param replaced tasks that are no longer in the plan; their usage still counts */
export function restoreRecorded(
  session: Session,
  records: readonly TaskRecord[],
  replaced: ReadonlyMap<string, PlannerTask>,
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

/** As `restore`, with the output left where it is. */
function restoreStored({ plan }: Session, number: number, bytes: number, uid: string | undefined): void {
  const { state, table } = plan;
  if (table.recorded[number] === 1) return;
  table.recorded[number] = 1;
  table.outputs.setStored(number, bytes);
  table.uids[number] = uid;
  advance(state, { type: "recorded", task: number });
}
