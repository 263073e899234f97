import { effectiveDependencies, type PlannerTask, type TaskData } from "@planloom/plan";

/** The first task in plan order that is not completed and whose dependencies all are; undefined if there is none. */
export function nextTask(
  plan: TaskData | readonly PlannerTask[],
  completed: Iterable<string>,
): PlannerTask | undefined {
  const done = new Set(completed);
  const dependencies = effectiveDependencies(plan);
  const tasks = "planned_tasks" in plan ? plan.planned_tasks : plan;
  return tasks.find(
    (task, index) => !done.has(task.task_id) && dependencies[index]?.every((dependency) => done.has(dependency)),
  );
}
