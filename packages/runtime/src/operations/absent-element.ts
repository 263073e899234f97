import { elementId, type PlaceStep, type PlannerTask } from "@planloom/plan";
import type { NestedRecord, TaskRecord } from "../journal/journal.ts";

/** A list that has no such element. */
export interface AbsentElement {
  /** The list's task. */
  readonly task_id: string;
  /** How many elements it has. */
  readonly length: number;
}

/**
 * The first list that an address (`findPlace`) leads through and that is too short for it; undefined where each of them has the element, as far as
 * the run knows how long the list is.
 */
export function absentElement(
  steps: readonly PlaceStep[],
  records: readonly TaskRecord[],
  nested: readonly NestedRecord[],
): AbsentElement | undefined {
  const path: string[] = [];
  for (const { task, index } of steps) {
    if (index === undefined) return undefined;
    const { task_id } = task;
    const here =
      path.length === 0 ? records : nested.filter((each) => same(each.path, path)).map(({ record }) => record);
    const length = lengthOf(
      task,
      here.findLast((record) => record.task_id === task_id),
    );
    if (length !== undefined && index >= length) return { task_id, length };
    path.push(task_id, elementId(task_id, index));
  }
  return undefined;
}

/** How many elements a list of the run has; undefined where it has not ended and the plan does not say it. */
function lengthOf({ for_each }: PlannerTask, record: TaskRecord | undefined): number | undefined {
  const total = record?.error?.details?.total;
  if (typeof total === "number") return total;
  return [record?.output, for_each?.items].find(Array.isArray)?.length;
}

function same(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((id, place) => id === right[place]);
}
