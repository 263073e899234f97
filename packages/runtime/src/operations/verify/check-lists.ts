import { effectiveDependencies, type PlannerTask, readElementId, resolveReferences } from "@planloom/plan";
import type { NestedRecord, TaskRecord } from "../../journal/journal.ts";
import { addressOf } from "../../nested-keeping.ts";
import type { VerifyProblem } from "../verify-problem.ts";
import type { RecordedFlow } from "./check-branches.ts";
import { isSameJson } from "./same-json.ts";

/** The records of elements by the list that they are of, and in it by their place. */
type ElementRecords = ReadonlyMap<string, ReadonlyMap<number, readonly TaskRecord[]>>;

/**
 * Whether the output of each list is what its elements gave, in their order, and has one for each item; in elements with tasks of their own the output of each
 * list as well, and what an element gave. A list that was executed several times, over other items, has
 * several records of an element; one of them has to be what the output says. O(elements)
 */
export function checkLists({ tasks, records, lookup }: RecordedFlow, nested: readonly NestedRecord[]): VerifyProblem[] {
  const lists = tasks.filter(({ for_each }) => for_each !== undefined);
  if (lists.length === 0) return [];
  const elements = recordsOfElements(nested);
  const own = lists.flatMap((task) => {
    const record = records.get(task.task_id);
    return record === undefined ? [] : listProblems([], task, record, elements, lookup);
  });
  return [...own, ...innerProblems(lists, nested, elements)];
}

function innerProblems(
  lists: readonly PlannerTask[],
  nested: readonly NestedRecord[],
  elements: ElementRecords,
): VerifyProblem[] {
  if (!lists.some(({ for_each }) => for_each?.tasks !== undefined)) return [];
  const byPlace = Map.groupBy(nested, ({ path, record }) => keyOf([...path, record.task_id]));
  return nested.flatMap(({ path, record }) => {
    const task = taskAt(lists, path, record.task_id);
    if (task?.for_each === undefined) return [];
    if (task.task_id === record.task_id) return listProblems(path, task, record, elements, () => ({ found: false }));
    const result = resultOf(task);
    const given = result === undefined ? undefined : byPlace.get(keyOf([...path, record.task_id, result]));
    if (given === undefined || record.status !== "completed") return [];
    if (given.some((each) => isSameJson(record.output ?? null, outputOf(each.record, undefined)))) return [];
    const id = addressOf(path, record.task_id);
    const message = `The output of "${id}" is not what its task "${result}" gave.`;
    return [{ code: "element_wrong" as const, task_id: id, message }];
  });
}

/** The task of a nested record as the plan has it; of an element its list. Undefined for what is in no list of the plan. */
function taskAt(lists: readonly PlannerTask[], path: readonly string[], id: string): PlannerTask | undefined {
  let tasks = lists;
  const ids = [...path, id];
  for (let depth = 0; ; depth += 2) {
    const task = tasks.find(({ task_id }) => task_id === ids[depth]);
    const element = ids[depth + 1];
    if (task === undefined || element === undefined) return task;
    if (readElementId(element)?.taskId !== task.task_id) return undefined;
    if (ids[depth + 2] === undefined) return task;
    tasks = task.for_each?.tasks ?? [];
  }
}

/** The task whose output is an element's, by its id; undefined where an element has none, or several. */
function resultOf({ for_each }: PlannerTask): string | undefined {
  const { tasks = [], result } = for_each!;
  if (result !== undefined)
    return tasks.find(({ task_id, result_variable }) => task_id === result || result_variable === result)?.task_id;
  const needed = new Set(effectiveDependencies({ planned_tasks: tasks }).flat());
  const sinks = tasks.filter(({ task_id }) => !needed.has(task_id));
  return sinks.length === 1 ? sinks[0]!.task_id : undefined;
}

function listProblems(
  path: readonly string[],
  { task_id, for_each }: PlannerTask,
  { timing, status, output }: TaskRecord,
  elements: ElementRecords,
  lookup: RecordedFlow["lookup"],
): VerifyProblem[] {
  if (status !== "completed" || !Array.isArray(output)) return [];
  const id = addressOf(path, task_id);
  const { items, given = {}, continues = [], failed_as } = for_each!;
  const wrong = (message: string): VerifyProblem[] => [{ code: "element_wrong", task_id: id, message }];
  const planned = itemsOf(items, lookup);
  if (planned !== undefined && planned.length !== output.length)
    return wrong(`The list of "${id}" has ${planned.length} items, and its output has ${output.length}.`);
  const known = [task_id, ...continues].map((list) => elements.get(keyOf([...path, list])));
  // The elements of a list that a worker executed as a run of its own are recorded there.
  if (timing?.path_ms === undefined && known.every((each) => each === undefined)) return [];
  for (const [index, value] of output.entries()) {
    if (Object.hasOwn(given, index)) continue;
    const found = known.flatMap((each) => each?.get(index) ?? []);
    if (found.length === 0)
      return wrong(`The output of "${id}" has a value for its element ${index}, which has no record.`);
    if (!found.some((record) => isSameJson(value, outputOf(record, failed_as))))
      return wrong(`The output of "${id}" says of its element ${index} what no record of ${id}[${index}] does.`);
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

function recordsOfElements(nested: readonly NestedRecord[]): ElementRecords {
  const found = new Map<string, Map<number, TaskRecord[]>>();
  for (const { path, record } of nested) {
    const element = readElementId(record.task_id);
    if (element === undefined || element.taskId !== path.at(-1)) continue;
    const key = keyOf(path);
    const list = found.get(key) ?? new Map<number, TaskRecord[]>();
    found.set(key, list);
    list.set(element.index, [...(list.get(element.index) ?? []), record]);
  }
  return found;
}

function keyOf(path: readonly string[]): string {
  return JSON.stringify(path);
}
