import { collectReferences, type PlannerTask, planHashes, readElementId, type TaskData } from "@planloom/plan";
import type { TaskRecord } from "../journal/journal.ts";
import { type NestedPlace, nestedKey } from "../nested-keeping.ts";

/**
 * The content hash of a list as if it executed all of its elements itself: equal for a list and for one that continues with it, as long as
 * all that they come after is equal, too. O(plan)
 */
export function hashWithoutGiven(plan: TaskData, list: PlannerTask): string {
  const { given, continues: _, ...rest } = list.for_each!;
  const names = new Set(collectReferences(given).map(({ reference }) => reference.name));
  const bare: PlannerTask = {
    ...list,
    dependencies: list.dependencies.filter((id) => !names.has(id)),
    for_each: rest,
  };
  const planned_tasks = plan.planned_tasks.map((task) => (task.task_id === list.task_id ? bare : task));
  return planHashes({ ...plan, planned_tasks }).get(list.task_id)!.content_hash;
}

/**
 * Adds the records of the elements of earlier lists, and of what is in these elements, under the names that they have in the list at `place`.
 * Those of the later lists count. The elements of a list that did something else, or had another list, have another scope and are not found.
 * O(records)
 * @param records by `nestedKey`
 */
export function takeOverElements(
  records: Map<string, TaskRecord>,
  place: NestedPlace,
  continues: readonly string[],
): void {
  const depth = place.path.length - 1;
  const list = place.path[depth]!;
  const age = new Map(continues.map((id, number) => [id, number]));
  const found: { readonly age: number; readonly key: string; readonly record: TaskRecord }[] = [];
  for (const [key, record] of records) {
    const parts = JSON.parse(key) as string[];
    const path = parts.slice(0, -2);
    const before = path[depth];
    if (before === undefined || !age.has(before)) continue;
    if (place.path.some((id, level) => level < depth && path[level] !== id)) continue;
    const renamed = (id: string) => {
      const element = readElementId(id);
      return element?.taskId === before ? `${list}[${element.index}]` : id;
    };
    const [first, ...inner] = path.slice(depth + 1);
    const own = [...place.path, ...(first === undefined ? [] : [renamed(first), ...inner])];
    const scope = parts.at(-2)!;
    const task_id = first === undefined ? renamed(record.task_id) : record.task_id;
    found.push({
      age: age.get(before)!,
      key: nestedKey({ path: own, scope: () => scope }, task_id),
      record: { ...record, task_id },
    });
  }
  found.sort((left, right) => right.age - left.age);
  for (const { key, record } of found) if (!records.has(key)) records.set(key, record);
}
