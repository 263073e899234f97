import { hashValue } from "@planloom/plan";
import type { ApprovalAnswer, StoredRun, TaskRecord } from "../journal/journal.ts";
import type { VerifyProblem } from "./verify-problem.ts";

/** Whether the run's status, its answers and its inputs fit what became of its tasks. O(tasks + answers). */
export function checkOutcomes(
  { plan, status }: StoredRun,
  records: ReadonlyMap<string, TaskRecord>,
  answers: readonly ApprovalAnswer[],
): VerifyProblem[] {
  const problems: VerifyProblem[] = [];
  const approved = new Set<string>();
  const denied = new Set<string>();
  for (const { task_id, answer } of answers) (answer === "approve" ? approved : denied).add(task_id);
  for (const { task_id, status: given } of plan.planned_tasks) {
    const record = records.get(task_id);
    // What cannot be executed now is skipped with what depends on it, and the run is completed all the same.
    const isAccounted = record?.status === "completed" || record?.status === "skipped";
    if (status === "completed" && given !== "completed" && !isAccounted) {
      const what = record === undefined ? "has no record" : `is "${record.status}"`;
      problems.push({
        code: "task_unfinished",
        task_id,
        message: `The run is "completed", and task "${task_id}" ${what}.`,
      });
    }
    if (record?.status === "completed" && denied.has(task_id) && !approved.has(task_id)) {
      const message = `Task "${task_id}" is completed, but every answer at its approval gate was no.`;
      problems.push({ code: "approval_denied", task_id, message });
    }
  }
  for (const { task_id, input, input_hash } of records.values()) {
    if (input === undefined || input_hash === "" || hashValue(input) === input_hash) continue;
    problems.push({
      code: "input_wrong",
      task_id,
      message: `The input of "${task_id}" does not match its hash.`,
    });
  }
  return problems;
}
