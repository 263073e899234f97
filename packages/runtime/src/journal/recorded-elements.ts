import { readElementId, type TaskData } from "@planloom/plan";
import type { ElementCounts } from "../run-result.ts";
import type { Journal, NestedRecord } from "./journal.ts";

/** The records of the elements of tasks of the run's own plan, by task. Of an element with several records the last counts. O(nested records) */
export function elementRecords(nested: readonly NestedRecord[]): Map<string, Map<string, NestedRecord>> {
  const found = new Map<string, Map<string, NestedRecord>>();
  for (const each of nested) {
    const { path, record } = each;
    const [task] = path;
    if (task === undefined || path.length !== 1 || readElementId(record.task_id)?.taskId !== task) continue;
    const known = found.get(task) ?? new Map<string, NestedRecord>();
    found.set(task, known);
    known.set(record.task_id, each);
  }
  return found;
}

/** How many elements of each task with `for_each` have a record of their end; tasks without any are left out. */
export async function recordedElements(
  journal: Pick<Journal, "getNestedTasks">,
  plan: TaskData,
  runId: string,
): Promise<Map<string, Omit<ElementCounts, "total">>> {
  const counted = new Map<string, Omit<ElementCounts, "total">>();
  if (!plan.planned_tasks.some(({ for_each }) => for_each !== undefined)) return counted;
  for (const [task, records] of elementRecords(await journal.getNestedTasks(runId))) {
    const counts = { completed: 0, failed: 0, skipped: 0 };
    for (const { record } of records.values()) if (record.status !== "waiting_approval") counts[record.status]++;
    counted.set(task, counts);
  }
  return counted;
}
