import { IssueCode, type PlanIssue } from "../issue.ts";
import { isRecord } from "../json.ts";

const ofPlan = { outputs: "no result would have", variables: "no reference would find" } as const;
const ofTask = { arguments: "no executor would be given", parameters: "no executor would be given" } as const;

/**
 * The names `__proto__` in a plan as it was written, inner tasks included: no copy of an object keeps that key, so that what it names would be lost without a
 * word. Once a schema has read the plan they are gone.
 */
export function prototypeKeys(plan: unknown): PlanIssue[] {
  if (!isRecord(plan)) return [];
  const issues = keysIn(plan, ofPlan, "of the plan", {});
  return Array.isArray(plan.planned_tasks) ? [...issues, ...inTasks(plan.planned_tasks)] : issues;
}

function inTasks(tasks: readonly unknown[]): PlanIssue[] {
  return tasks.flatMap((task) => {
    if (!isRecord(task)) return [];
    const about = typeof task.task_id === "string" ? { task_id: task.task_id.slice(0, 128) } : {};
    const inner = isRecord(task.for_each) && Array.isArray(task.for_each.tasks) ? task.for_each.tasks : [];
    return [...keysIn(task, ofTask, "of a task", about), ...inTasks(inner)];
  });
}

function keysIn(
  record: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, string>>,
  whose: string,
  about: Pick<PlanIssue, "task_id">,
): PlanIssue[] {
  return Object.entries(fields).flatMap(([field, loss]) => {
    const value = record[field];
    if (!isRecord(value) || !Object.hasOwn(value, "__proto__")) return [];
    const message = `\`${field}\` ${whose} has the key "__proto__", which ${loss}. Rename it.`;
    return [{ code: IssueCode.SCHEMA, severity: "error", message, ...about, argument_path: `${field}.__proto__` }];
  });
}
