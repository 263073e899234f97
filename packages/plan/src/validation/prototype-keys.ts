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
  const issues: PlanIssue[] = [];
  keysIn(plan, ofPlan, "of the plan", undefined, issues);
  if (Array.isArray(plan.planned_tasks)) inTasks(plan.planned_tasks, issues);
  return issues;
}

function inTasks(tasks: readonly unknown[], issues: PlanIssue[]): void {
  for (const task of tasks) {
    if (!isRecord(task)) continue;
    keysIn(task, ofTask, "of a task", task.task_id, issues);
    if (isRecord(task.for_each) && Array.isArray(task.for_each.tasks)) inTasks(task.for_each.tasks, issues);
  }
}

function keysIn(
  record: Readonly<Record<string, unknown>>,
  fields: Readonly<Record<string, string>>,
  whose: string,
  taskId: unknown,
  issues: PlanIssue[],
): void {
  for (const field in fields) {
    const value = record[field];
    if (!isRecord(value) || !Object.hasOwn(value, "__proto__")) continue;
    const about = typeof taskId === "string" ? { task_id: taskId.slice(0, 128) } : {};
    const message = `\`${field}\` ${whose} has the key "__proto__", which ${fields[field]}. Rename it.`;
    issues.push({ code: IssueCode.SCHEMA, severity: "error", message, ...about, argument_path: `${field}.__proto__` });
  }
}
