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
  const found = elementRecords(await journal.getNestedTasks(runId));
  for (const [task, records] of found) counted.set(task, countsOf(records.values()));
  for (const { task_id, for_each } of plan.planned_tasks) {
    if (for_each?.continues === undefined) continue;
    counted.set(task_id, countsOf(continuedRecords(task_id, for_each.continues, for_each.given ?? {}, found)));
  }
  return counted;
}

function countsOf(records: Iterable<NestedRecord>): Omit<ElementCounts, "total"> {
  const counts = { completed: 0, failed: 0, skipped: 0 };
  for (const { record } of records) if (record.status !== "waiting_approval") counts[record.status]++;
  return counts;
}

/** The records of a list's elements, with those that earlier lists completed for it; without those of elements that are given. */
function continuedRecords(
  task: string,
  continues: readonly string[],
  given: Readonly<Record<string, unknown>>,
  found: ReadonlyMap<string, ReadonlyMap<string, NestedRecord>>,
): Iterable<NestedRecord> {
  const byIndex = new Map<number, NestedRecord>();
  for (const list of [...continues, task]) {
    for (const [id, each] of found.get(list) ?? []) {
      const index = readElementId(id)!.index;
      const counts = list === task || each.record.status === "completed";
      if (counts && !Object.hasOwn(given, index)) byIndex.set(index, each);
    }
  }
  return byIndex.values();
}
