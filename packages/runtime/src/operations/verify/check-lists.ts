import { type PlannerTask, readElementId, resolveReferences } from "@planloom/plan";
import type { NestedRecord, TaskRecord } from "../../journal/journal.ts";
import type { VerifyProblem } from "../verify-problem.ts";
import type { RecordedFlow } from "./check-branches.ts";
import { isSameJson } from "./same-json.ts";

/**
 * Whether the output of each list is what its elements gave, in their order, and has one for each item. A list that was executed several times, over other items, has
 * several records of an element; one of them has to be what the output says. O(elements)
 */
export function checkLists({ tasks, records, lookup }: RecordedFlow, nested: readonly NestedRecord[]): VerifyProblem[] {
  const lists = tasks.filter(({ for_each }) => for_each !== undefined);
  if (lists.length === 0) return [];
  const elements = recordsOfElements(nested);
  return lists.flatMap((task) => {
    const record = records.get(task.task_id);
    if (record?.status !== "completed" || !Array.isArray(record.output)) return [];
    return listProblems(task, record, record.output, elements, lookup);
  });
}

function listProblems(
  { task_id, for_each }: PlannerTask,
  { timing }: TaskRecord,
  output: readonly unknown[],
  elements: ReadonlyMap<string, ReadonlyMap<number, readonly TaskRecord[]>>,
  lookup: RecordedFlow["lookup"],
): VerifyProblem[] {
  const { items, given = {}, continues = [], failed_as } = for_each!;
  const wrong = (message: string): VerifyProblem[] => [{ code: "element_wrong", task_id, message }];
  const planned = itemsOf(items, lookup);
  if (planned !== undefined && planned.length !== output.length)
    return wrong(`The list of "${task_id}" has ${planned.length} items, and its output has ${output.length}.`);
  const known = [task_id, ...continues].map((list) => elements.get(list));
  // Of a list that a worker executed as a run of its own, the elements are recorded there.
  if (timing?.path_ms === undefined && known.every((each) => each === undefined)) return [];
  for (const [index, value] of output.entries()) {
    if (Object.hasOwn(given, index)) continue;
    const found = known.flatMap((each) => each?.get(index) ?? []);
    if (found.length === 0)
      return wrong(`The output of "${task_id}" has a value for its element ${index}, which has no record.`);
    if (!found.some((record) => isSameJson(value, outputOf(record, failed_as))))
      return wrong(
        `The output of "${task_id}" says of its element ${index} what no record of ${task_id}[${index}] does.`,
      );
  }
  return [];
}

/** The value of the element in the output of its list. */
function outputOf({ status, output, error }: TaskRecord, failedAs: "null" | "error" | undefined): unknown {
  if (status === "completed") return output ?? null;
  if (failedAs !== "error" || error === undefined) return null;
  return { error: { code: error.code, message: error.message } };
}

/** Undefined where they are not recorded. */
function itemsOf(items: unknown, lookup: RecordedFlow["lookup"]): readonly unknown[] | undefined {
  try {
    const value = resolveReferences(items, lookup);
    return Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function recordsOfElements(nested: readonly NestedRecord[]): Map<string, Map<number, TaskRecord[]>> {
  const found = new Map<string, Map<number, TaskRecord[]>>();
  for (const { path, record } of nested) {
    const element = path.length === 1 ? readElementId(record.task_id) : undefined;
    if (element === undefined || element.taskId !== path[0]) continue;
    const list = found.get(element.taskId) ?? new Map<number, TaskRecord[]>();
    found.set(element.taskId, list);
    list.set(element.index, [...(list.get(element.index) ?? []), record]);
  }
  return found;
}
