import type { PlannerTask, TaskData } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { JsonCopyError, jsonCopy } from "../json-copy.ts";

/** Deeper values are left to the copy, which refuses what is nested too deep or leads back to itself. */
const maxLooked = 400;
/** What of a task may hold any value. */
const freeFields = ["arguments", "parameters", "output"] as const;
const planFields = ["variables", "metadata", "original_job_data"] as const;

/**
 * The plan with every value as the journal will have it, so that a resumed run continues with what it began with: a `Date` is its text, `-0` is `0`. The same
 * object where all of it is plain JSON already. Linear.
 * @throws RuntimeError INVALID_PLAN for a value that has no JSON form, such as a function
 */
export function plainPlan(plan: TaskData): TaskData {
  const planned_tasks = plainTasks(plan.planned_tasks);
  const changed = plainFields(plan, planFields, "The plan");
  return planned_tasks === plan.planned_tasks && changed === undefined ? plan : { ...plan, ...changed, planned_tasks };
}

/** The same of tasks that join a plan. @throws RuntimeError INVALID_PLAN */
export function plainTasks(tasks: PlannerTask[]): PlannerTask[] {
  return mapped(tasks, plainTask);
}

function plainTask(task: PlannerTask): PlannerTask {
  const { for_each: list } = task;
  const changed = plainFields(task, freeFields, `Task "${task.task_id}"`);
  const inList = list && plainFields(list, ["items", "given"], `\`for_each\` of task "${task.task_id}"`);
  const tasks = list?.tasks && mapped(list.tasks, plainTask);
  const for_each =
    inList === undefined && tasks === list?.tasks ? list : { ...list!, ...inList, ...(tasks && { tasks }) };
  if (changed === undefined && for_each === list) return task;
  return { ...task, ...changed, ...(for_each && { for_each }) };
}

/** The list with each element replaced; the same list where none changes. */
function mapped<Element>(list: Element[], change: (element: Element) => Element): Element[] {
  const found = list.map(change);
  return found.every((element, index) => element === list[index]) ? list : found;
}

/** The fields that are not plain, as copies. */
function plainFields<Fields extends object>(
  given: Fields,
  fields: readonly (keyof Fields & string)[],
  whose: string,
): Partial<Fields> | undefined {
  let changed: Partial<Fields> | undefined;
  for (const field of fields) {
    const value = given[field];
    if (value === undefined || isPlainJson(value, 0)) continue;
    changed = { ...changed, [field]: copied(value, field, whose) };
  }
  return changed;
}

function copied(value: unknown, field: string, whose: string): unknown {
  try {
    // An output is what the table of outputs makes of it; all else is what calls are made with.
    return jsonCopy(value, { maxBytes: Number.POSITIVE_INFINITY, ...(field !== "output" && { finite: true }) }).value;
  } catch (error) {
    if (!(error instanceof JsonCopyError)) throw error;
    const message = `${whose} has a value in \`${field}\` that is not JSON: ${error.message}`;
    const argument_path = error.path === "" ? field : `${field}.${error.path}`;
    const details = { issues: [{ code: "schema", message, argument_path }] };
    throw new RuntimeError(RuntimeErrorCode.INVALID_PLAN, message, { details, cause: error });
  }
}

/** Whether JSON has the value as it is, so that it comes back the same. */
function isPlainJson(value: unknown, depth: number): boolean {
  switch (typeof value) {
    case "string":
    case "boolean":
      return true;
    case "number":
      return Number.isFinite(value) && !Object.is(value, -0);
    case "object":
      return value === null || (depth < maxLooked && isPlainObject(value, depth + 1));
    default:
      return false;
  }
}

function isPlainObject(value: object, depth: number): boolean {
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index += 1) if (!isPlainJson(value[index], depth)) return false;
    return true;
  }
  if (Object.getPrototypeOf(value) !== Object.prototype || "toJSON" in value) return false;
  for (const key of Object.keys(value)) {
    if (!isPlainJson((value as Record<string, unknown>)[key], depth)) return false;
  }
  return true;
}
