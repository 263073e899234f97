import type { PlannerTask } from "../records/planner-task.ts";
import type { OnDeadline, Wait } from "../records/waiting.ts";
import { renameReferences } from "./map-references.ts";

/** The place of an element in its list, in references of a task with `for_each`. */
export const indexName = "index";
/** The name of the element, where `for_each.as` gives no other. */
export const defaultItemName = "item";

type Flow = Pick<PlannerTask, "for_each" | "when" | "choose" | "wait" | "retry_until">;

/** True for a task whose list, conditions or wait may refer to others, beside its arguments and parameters. */
export function hasFlowValues({ for_each, when, choose, wait, retry_until }: Flow): boolean {
  return (
    for_each !== undefined ||
    when !== undefined ||
    choose !== undefined ||
    wait !== undefined ||
    retry_until !== undefined
  );
}

/**
 * What a task says in `for_each`, `when`, `choose`, `wait` and `retry_until` that may hold references: the list, outputs that are given for elements, the conditions, times, names of signals, and
 * the arguments, parameters, lists and conditions of the tasks that are executed for each element.
 */
export function flowValues({ for_each, when, choose, wait, retry_until }: Flow): unknown[] {
  const values: unknown[] = [];
  if (for_each !== undefined) {
    values.push(for_each.items);
    if (for_each.given !== undefined) values.push(for_each.given);
    for (const inner of for_each.tasks ?? []) values.push(inner.parameters, inner.arguments, ...flowValues(inner));
  }
  if (when !== undefined) values.push(when.condition);
  for (const { condition } of choose?.branches ?? []) if (condition !== undefined) values.push(condition);
  if (wait !== undefined) values.push(withoutSchema(wait));
  if (retry_until !== undefined) values.push(retry_until.condition, deadlineValue(retry_until));
  return values;
}

/** The wait without its schema, in which no reference is resolved. */
export function withoutSchema({ schema: _, ...rest }: Wait): Omit<Wait, "schema"> {
  return rest;
}

/** What is the output once the deadline has passed; undefined where it is none. */
export function deadlineValue({ on_deadline }: { readonly on_deadline?: OnDeadline | undefined }): unknown {
  return typeof on_deadline === "object" ? on_deadline.value : undefined;
}

/** Every value of a task that may hold references, in the order in which they imply dependencies. */
export function referringValues(task: Pick<PlannerTask, "arguments" | "parameters"> & Flow): unknown[] {
  const values: unknown[] = [task.parameters, task.arguments];
  return hasFlowValues(task) ? [...values, ...flowValues(task)] : values;
}

/** `for_each`, `when`, `choose`, `wait` and `retry_until` of a task with their references renamed; nothing for a task that has none of them. */
export function renamedFlow(task: Flow, rename: (name: string) => string): Partial<Flow> {
  const { for_each, when, choose, wait, retry_until } = task;
  return {
    ...(for_each !== undefined && { for_each: renameReferences(for_each, rename) as typeof for_each }),
    ...(when !== undefined && { when: renameReferences(when, rename) as typeof when }),
    ...(choose !== undefined && { choose: renamedBranches(choose, rename) }),
    ...(wait !== undefined && {
      wait: {
        ...(renameReferences(withoutSchema(wait), rename) as typeof wait),
        ...(wait.schema !== undefined && { schema: wait.schema }),
      },
    }),
    ...(retry_until !== undefined && { retry_until: renameReferences(retry_until, rename) as typeof retry_until }),
  };
}

/** What else a branch says is plain text. */
function renamedBranches(choose: NonNullable<Flow["choose"]>, rename: (name: string) => string): Flow["choose"] {
  const branches = choose.branches.map((branch) =>
    branch.condition === undefined
      ? branch
      : { ...branch, condition: renameReferences(branch.condition, rename) as string },
  );
  return { ...choose, branches };
}

/** The names that references in a task may use for its element; none for a task without `for_each`. */
export function elementNames({ for_each }: Pick<PlannerTask, "for_each">): readonly string[] {
  return for_each === undefined ? [] : [for_each.as ?? defaultItemName, indexName];
}

/** Every name that means something inside the elements of a task alone: element, index, and the tasks and results in it, at any depth. */
export function localNames(task: Pick<PlannerTask, "for_each">): Set<string> {
  const names = new Set(elementNames(task));
  for (const inner of task.for_each?.tasks ?? []) {
    names.add(inner.task_id);
    if (inner.result_variable !== undefined) names.add(inner.result_variable);
    for (const name of localNames(inner)) names.add(name);
  }
  return names;
}

/** `fetch[42]`: an element of the task `fetch`, in records, answers and addresses. */
export function elementId(taskId: string, index: number): string {
  return `${taskId}[${index}]`;
}

/** The task and the place of `fetch[42]`; undefined for an id of another form. */
export function readElementId(id: string): { readonly taskId: string; readonly index: number } | undefined {
  const match = /^(.+)\[(0|[1-9]\d{0,9})\]$/s.exec(id);
  return match === null ? undefined : { taskId: match[1]!, index: Number(match[2]) };
}
