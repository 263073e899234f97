import { describeValue } from "../dialects/dialect-error.ts";
import { PlanError, PlanErrorCode } from "../errors.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";
import { localNames } from "./flow-values.ts";

type PlanOrTasks = Pick<TaskData, "planned_tasks" | "variables"> | readonly PlannerTask[];

/** The thing that a name belongs to. */
export interface NameHolder {
  /** `element`: a name that means something inside the elements of a task with `for_each` alone. */
  readonly kind: "task_id" | "result_variable" | "variable" | "input" | "element";
  readonly task_id?: string;
}

/** One name for several things; a reference to it would be ambiguous. */
export interface NameCollision {
  readonly name: string;
  /** In plan order; `input` first, plan variables last. */
  readonly holders: readonly NameHolder[];
}

/** The name under which tasks refer to the `input` of the run. */
export const inputName = "input";

/** Task id or result variable -> task id. Where names collide, a task id wins, then the earlier task. */
export function taskNames(plan: PlanOrTasks): Map<string, string> {
  const names = new Map<string, string>();
  const tasks = tasksOf(plan);
  for (const task of tasks) names.set(task.task_id, task.task_id);
  for (const { result_variable, task_id } of tasks) {
    if (result_variable !== undefined && !names.has(result_variable)) names.set(result_variable, task_id);
  }
  return names;
}

/**
 * Names held by more than one thing, in order of their first holder. A result variable equal to its own task's id is none;
 * nor are tasks that share an id and nothing else, which is a different fault (a duplicate task).
 */
export function nameCollisions(plan: PlanOrTasks): NameCollision[] {
  const holders = new Map<string, NameHolder[]>([[inputName, [{ kind: "input" }]]]);
  const hold = (name: string, holder: NameHolder) => {
    const before = holders.get(name);
    if (before === undefined) holders.set(name, [holder]);
    else before.push(holder);
  };
  for (const { task_id, result_variable } of tasksOf(plan)) {
    hold(task_id, { kind: "task_id", task_id });
    if (result_variable !== undefined && result_variable !== task_id) {
      hold(result_variable, { kind: "result_variable", task_id });
    }
  }
  for (const name of declaredVariables(plan)) hold(name, { kind: "variable" });
  // Several tasks may each have an element of the same name, which hides a variable; nothing else may have that name.
  const local = new Map<string, string>();
  for (const task of tasksOf(plan)) {
    if (task.for_each === undefined) continue;
    for (const name of localNames(task)) if (!local.has(name)) local.set(name, task.task_id);
  }
  for (const [name, task_id] of local) {
    if (holders.get(name)?.some(({ kind }) => kind !== "variable")) hold(name, { kind: "element", task_id });
  }
  const collisions: NameCollision[] = [];
  for (const [name, found] of holders) {
    if (found.length > 1 && found.some(({ kind }) => kind !== "task_id")) collisions.push({ name, holders: found });
  }
  return collisions;
}

/** @throws PlanError INVALID for what is neither a plan nor a list */
export function tasksOf(plan: PlanOrTasks): readonly PlannerTask[] {
  const tasks: unknown = isPlan(plan) ? plan.planned_tasks : plan;
  if (Array.isArray(tasks)) return tasks;
  const message = `Expected a plan (an object with the list \`planned_tasks\`) or a list of tasks, got ${describeValue(plan)}.`;
  throw new PlanError(PlanErrorCode.INVALID, message, {
    details: { issues: [{ path: "planned_tasks", message: "Expected a list of tasks." }] },
  });
}

function isPlan(plan: PlanOrTasks): plan is Extract<PlanOrTasks, { planned_tasks: unknown }> {
  return typeof plan === "object" && plan !== null && "planned_tasks" in plan;
}

function declaredVariables(plan: PlanOrTasks): string[] {
  return isPlan(plan) ? Object.keys(plan.variables ?? {}) : [];
}
