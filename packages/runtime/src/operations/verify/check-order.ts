import type { PlannerTask } from "@planloom/plan";
import type { StoredRun, TaskRecord } from "../../journal/journal.ts";
import type { VerifyProblem } from "../verify-problem.ts";

/** Tasks that ran before or without what they depend on, and tasks that were skipped without a reason. */
export function checkOrder(
  run: StoredRun,
  tasks: readonly PlannerTask[],
  dependencies: readonly (readonly string[])[],
  records: ReadonlyMap<string, TaskRecord>,
  isDone: (id: string) => boolean,
  inSession: (record: TaskRecord | undefined) => boolean,
): VerifyProblem[] {
  const found: VerifyProblem[] = [];
  const planned = new Set(run.plan.planned_tasks.map(({ task_id }) => task_id));
  for (const [number, { task_id }] of tasks.entries()) {
    const record = records.get(task_id);
    const needed = dependencies[number] ?? [];
    if (record === undefined) continue;
    if (record.timing !== undefined) {
      const { join = "all" } = tasks[number]!;
      if (join === "any" && needed.length > 0 && !needed.some(isDone)) found.push(ranWithout(task_id, needed[0]!));
      for (const id of needed) {
        if (join === "all" && !isDone(id)) found.push(ranWithout(task_id, id));
        if (join === "none_failed" && records.get(id)?.status === "failed") found.push(ranWithout(task_id, id));
        const source = records.get(id);
        const ended = source?.timing?.ended_at;
        if (inSession(record) && inSession(source) && ended !== undefined && ended > record.started_at) {
          found.push(startedEarly(task_id, id, ended - record.started_at));
        }
      }
    }
    // A task that was replaced after it was skipped was never asked again.
    const isPlanned = run.first_plan === undefined || planned.has(task_id);
    if (isPlanned && record.status === "skipped" && record.skipped_because !== undefined && needed.every(isDone)) {
      const halted = record.error?.code === "TASK_HALTED";
      const message = `"${task_id}" was skipped because of "${record.skipped_because}", and all it depends on was completed.`;
      if (!halted) found.push({ code: "skipped_needlessly", task_id, message });
    }
  }
  return found;
}

function ranWithout(task_id: string, needed: string): VerifyProblem {
  const message = `"${task_id}" ran, and "${needed}", which it depends on, was not completed.`;
  return { code: "dependency_missing", task_id, message };
}

function startedEarly(task_id: string, needed: string, byMs: number): VerifyProblem {
  const message = `"${task_id}" started ${byMs.toFixed(3)} ms before "${needed}", which it depends on, had ended.`;
  return { code: "started_early", task_id, message };
}
