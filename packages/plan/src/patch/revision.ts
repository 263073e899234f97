import type { PlannerTask } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";

/** The id of the last patch applied to a plan; `""` when none was. */
export function planRevision(plan: Pick<TaskData, "metadata">): string {
  const { metadata } = plan;
  const revision = metadata !== undefined && Object.hasOwn(metadata, "revision") ? metadata.revision : undefined;
  return typeof revision === "string" ? revision : "";
}

/** Ids that tasks of earlier revisions had; no new task may have one of them. In the order in which they were removed. */
export function retiredTasks(plan: Pick<TaskData, "metadata">): readonly string[] {
  const { metadata } = plan;
  const retired = metadata !== undefined && Object.hasOwn(metadata, "retired_tasks") ? metadata.retired_tasks : [];
  return Array.isArray(retired) ? retired.filter((id) => typeof id === "string") : [];
}

/** The id of the task first planned in the place of this one: its own, unless it was replanned. */
export function taskLineage(
  task: Pick<PlannerTask, "task_id" | "main_task_id">,
  plan: Pick<TaskData, "task_id">,
): string {
  return task.main_task_id === "" || task.main_task_id === plan.task_id ? task.task_id : task.main_task_id;
}
