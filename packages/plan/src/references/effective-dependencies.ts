import type { PlannerTask } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";
import { collectReferences } from "./collect-references.ts";
import { referringValues } from "./flow-values.ts";
import { taskNames, tasksOf } from "./task-names.ts";

/**
 * For each task in plan order, the ids it depends on: the declared ones (whether such tasks exist or not), then those that
 * its references imply, each once, in order of first mention. Plan variables, `input`, unknown names and malformed texts
 * imply none; a task that refers to itself depends on itself. Never throws; linear in the plan.
 */
export function effectiveDependencies(plan: Pick<TaskData, "planned_tasks"> | readonly PlannerTask[]): string[][] {
  const names = taskNames(plan);
  return tasksOf(plan).map((task) => taskDependencies(task, names));
}

/** The same for one task; `names` is `taskNames(plan)`. */
export function taskDependencies(task: PlannerTask, names: ReadonlyMap<string, string>): string[] {
  const dependencies = new Set(task.dependencies);
  for (const value of referringValues(task)) {
    for (const { reference } of collectReferences(value)) {
      const id = names.get(reference.name);
      if (id !== undefined) dependencies.add(id);
    }
  }
  return [...dependencies];
}
