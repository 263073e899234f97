import { PlanError, PlanErrorCode } from "../errors.ts";
import { defaultItemName, indexName } from "../references/flow-values.ts";
import { inputName } from "../references/task-names.ts";
import type { DraftScope, DraftTask } from "./draft-task.ts";
import { foldedCall } from "./folded.ts";
import { symbolicOf } from "./symbolic.ts";

/** The names of everything that tasks refer to. */
export interface DraftNames {
  readonly ids: ReadonlyMap<DraftTask, string>;
  /** By the task of a list, the name of its element. */
  readonly items: ReadonlyMap<DraftTask, string>;
}

/**
 * Names every task: by its `id`, else by its resource, with a number where the name is taken. The same definition gives the same names.
 * @param taken names that mean something else in the plan
 * @throws PlanError DUPLICATE_TASK for an `id` that is given twice or means something else
 */
export function nameTasks(plan: DraftScope, taken: Iterable<string>): DraftNames {
  const items = new Map<DraftTask, string>();
  nameItems(plan, 1, items);
  const used = new Set([inputName, indexName, ...taken, ...items.values()]);
  const ids = new Map<DraftTask, string>();
  const tasks = allTasks(plan);
  for (const task of tasks) {
    const id = ownId(task);
    if (id === undefined) continue;
    if (used.has(id)) throw takenTwice(id);
    used.add(id);
    ids.set(task, id);
  }
  for (const task of tasks) {
    if (ids.has(task)) continue;
    const wanted = wantedName(task);
    let id = wanted;
    for (let count = 2; used.has(id); count++) id = `${wanted}_${count}`;
    used.add(id);
    ids.set(task, id);
  }
  return { ids, items };
}

/** The tasks that the plan has in the end, in the order in which they were made: the call that a list makes itself is not counted. */
function allTasks({ tasks }: DraftScope): DraftTask[] {
  return tasks.flatMap((task) => {
    if (task.work.kind !== "list" || foldedCall(task) !== undefined) return [task];
    return [task, ...allTasks(task.work.elements!.scope)];
  });
}

function ownId(task: DraftTask): string | undefined {
  return task.work.options.id ?? foldedCall(task)?.options.id;
}

function wantedName(task: DraftTask): string {
  const call = task.work.kind === "call" ? task.work : foldedCall(task);
  if (call !== undefined) return asName(call.resource.id);
  if (task.work.kind === "choose") return "choose";
  if (task.work.kind === "wait")
    return typeof task.work.wait.event === "string" ? asName(task.work.wait.event) : "wait";
  const items = task.work.kind === "list" ? symbolicOf(task.work.items) : undefined;
  if (items?.kind !== "reference") return "each";
  const key = items.path.findLast((segment) => "key" in segment)?.key;
  if (key !== undefined) return `each_${asName(key)}`;
  return items.target.kind === "task" && items.target.task.work.kind === "call"
    ? `each_${asName(items.target.task.work.resource.id)}`
    : "each";
}

/** `github/list_issues` -> `list_issues`: a name that references need not quote. */
function asName(text: string): string {
  const last = text.slice(text.lastIndexOf("/") + 1);
  const name = last.replaceAll(/[^\p{L}\p{N}_-]+/gu, "_").slice(0, 100);
  return name === "" || name in Object.prototype ? "task" : name;
}

function nameItems({ tasks }: DraftScope, depth: number, items: Map<DraftTask, string>): void {
  for (const task of tasks) {
    if (task.work.kind !== "list") continue;
    items.set(task, task.work.options.as ?? (depth === 1 ? defaultItemName : `${defaultItemName}_${depth}`));
    nameItems(task.work.elements!.scope, depth + 1, items);
  }
}

function takenTwice(id: string): PlanError {
  const message = `Expected every task to have an id of its own, got "${id}" for two things of the plan. Give one of them another \`id\`.`;
  return new PlanError(PlanErrorCode.DUPLICATE_TASK, message, { details: { task_id: id } });
}
