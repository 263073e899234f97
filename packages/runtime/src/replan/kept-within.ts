import {
  collectReferences,
  collectSecrets,
  escapeReferences,
  type PlannerTask,
  type PlanPatch,
  readElementId,
} from "@planloom/plan";
import type { NestedRecord } from "../journal/journal.ts";
import type { TaskTable } from "../task-execution/task-table.ts";
import { endsWithin } from "./ends-within.ts";
import { recordedNames } from "./marked-place.ts";
import type { ReplanRequest } from "./replan-triggers.ts";

interface Run {
  readonly table: TaskTable;
  keptNested(): Promise<readonly NestedRecord[]>;
}

/**
 * The patch that makes tasks of elements, with what is completed within those that failed, or were cut off with their session: such an element may be tried again,
 * as a list of one element of which nothing is recorded yet.
 * @param open what is asked for them. @param tasks ids of the tasks that they become, by element
 */
export async function withKeptOutputs(
  { table, keptNested }: Run,
  patch: PlanPatch,
  open: readonly ReplanRequest[],
  tasks: ReadonlyMap<string, string>,
): Promise<PlanPatch> {
  const names = new Map(
    open.map(({ task, element }) => [tasks.get(element!)!, recordedNames(table.tasks[task!]!, element!)]),
  );
  if (!patch.tasks.some(({ task_id, for_each }) => names.has(task_id) && for_each?.tasks !== undefined)) return patch;
  const { outputs } = endsWithin(await keptNested());
  return { ...patch, tasks: patch.tasks.map((task) => withKept(task, names.get(task.task_id) ?? [], outputs)) };
}

/** @param names of the element that the task executes, oldest first. @param outputs by address */
function withKept(task: PlannerTask, names: readonly string[], outputs: ReadonlyMap<string, unknown>): PlannerTask {
  const inner = task.for_each?.tasks;
  if (names.length === 0 || inner === undefined) return task;
  const own = new Map<string, unknown>();
  for (const name of names)
    for (const [address, output] of outputs)
      if (address.startsWith(`${name}/`)) own.set(address.slice(name.length + 1), output);
  return { ...task, for_each: { ...task.for_each!, tasks: inner.map((each) => withKeptOutput(each, own)) } };
}

/** @param outputs by address in the element */
function withKeptOutput(task: PlannerTask, outputs: ReadonlyMap<string, unknown>): PlannerTask {
  if (outputs.has(task.task_id)) return { ...task, status: "completed", output: outputs.get(task.task_id) };
  if (task.for_each === undefined) return task;
  const given: Record<string, unknown> = { ...task.for_each.given };
  for (const [address, output] of outputs) {
    const element = readElementId(address);
    if (element?.taskId === task.task_id && isPlainValue(output)) given[element.index] = escapeReferences(output);
  }
  return Object.keys(given).length === 0 ? task : { ...task, for_each: { ...task.for_each, given } };
}

/** False for what reads as a reference or a secret, which cannot be written as a value. */
function isPlainValue(value: unknown): boolean {
  const escaped = escapeReferences(value);
  return collectReferences(escaped).length === 0 && collectSecrets(escaped).length === 0;
}
