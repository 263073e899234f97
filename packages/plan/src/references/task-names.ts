import { describeValue } from "../dialects/dialect-error.ts";
import { PlanError, PlanErrorCode } from "../errors.ts";
import { isRecord } from "../json.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";
import { localNames } from "./flow-values.ts";

type PlanOrTasks =
  | { readonly planned_tasks: readonly PlannerTask[]; readonly variables?: TaskData["variables"] }
  | readonly PlannerTask[];

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

/** @throws PlanError INVALID for what is neither a plan nor a list of tasks, and for tasks that no schema has read */
export function tasksOf(plan: PlanOrTasks): readonly PlannerTask[] {
  const tasks: unknown = isPlan(plan) ? plan.planned_tasks : plan;
  if (!Array.isArray(tasks)) throw noPlan(plan, "a plan (an object with the list `planned_tasks`) or a list of tasks");
  for (let place = 0; place < tasks.length; place++) if (!isTask(tasks[place])) throw noTask(tasks[place], place);
  return tasks;
}

/** @throws PlanError INVALID for anything but a plan (a list of tasks included), and for tasks that no schema has read */
export function tasksOfPlan(plan: { readonly planned_tasks: readonly PlannerTask[] }): readonly PlannerTask[] {
  if (!isPlan(plan)) throw noPlan(plan, "a plan (an object with the list `planned_tasks`)");
  return tasksOf(plan);
}

function noPlan(value: unknown, expected: string): PlanError {
  const details = { issues: [{ path: "planned_tasks", message: "Expected a list of tasks." }] };
  return new PlanError(PlanErrorCode.INVALID, `Expected ${expected}, got ${describeValue(value)}.`, { details });
}

/** Whether a task has what the schema of tasks fills in, as far as its place in the graph depends on it. */
function isTask(task: unknown): task is PlannerTask {
  return (
    isRecord(task) && typeof task.task_id === "string" && Array.isArray(task.dependencies) && isRecord(task.arguments)
  );
}

function noTask(task: unknown, place: number): PlanError {
  const isWritten = isRecord(task) && (task.task_id === undefined || typeof task.task_id === "string");
  const cure = isWritten ? " `TaskData.parse` fills in what a plan leaves out." : "";
  const message = `Expected a task (an object with \`task_id\`, \`dependencies\` and \`arguments\`) at planned_tasks[${place}], got ${describeValue(task)}.${cure}`;
  const issue = { path: `planned_tasks[${place}]`, message: "Expected a task." };
  return new PlanError(PlanErrorCode.INVALID, message, { details: { issues: [issue] } });
}

function isPlan(plan: PlanOrTasks): plan is Extract<PlanOrTasks, { planned_tasks: unknown }> {
  return typeof plan === "object" && plan !== null && "planned_tasks" in plan;
}

function declaredVariables(plan: PlanOrTasks): string[] {
  return isPlan(plan) ? Object.keys(plan.variables ?? {}) : [];
}
