import type { PlannerTask } from "../records/planner-task.ts";

/**
 * The tasks, each followed by those that it executes for each element of its list (`for_each.tasks`), at any depth. What protects a plan or
 * asks for permission reads these: a task within a list makes calls as any other. The same list where no task has such tasks. Linear.
 */
export function withInnerTasks(tasks: readonly PlannerTask[]): readonly PlannerTask[] {
  if (!tasks.some(hasInnerTasks)) return tasks;
  return tasks.flatMap((task) => [task, ...withInnerTasks(task.for_each?.tasks ?? [])]);
}

/** `withInnerTasks` without what the plan has as completed, with its output: that is neither called nor asked about, nor is anything within it. */
export function withOpenInnerTasks(tasks: readonly PlannerTask[]): readonly PlannerTask[] {
  return tasks.flatMap((task) =>
    task.status === "completed" ? [] : [task, ...withOpenInnerTasks(task.for_each?.tasks ?? [])],
  );
}

/** True for a task that makes no call itself, but executes tasks of its own for each element of its list. */
export function hasInnerTasks({ for_each }: Pick<PlannerTask, "for_each">): boolean {
  return for_each?.tasks !== undefined;
}

/** True for a task that makes no call, since the conditions of its branches decide. */
export function isDecidedByConditions({ choose }: Pick<PlannerTask, "choose">): boolean {
  return choose?.branches[0]?.condition !== undefined;
}

/** The task with each of those that it executes for each element changed; the same object where it has none. */
export function mapInnerTasks(task: PlannerTask, change: (inner: PlannerTask) => PlannerTask): PlannerTask {
  if (task.for_each?.tasks === undefined) return task;
  return { ...task, for_each: { ...task.for_each, tasks: task.for_each.tasks.map(change) } };
}
