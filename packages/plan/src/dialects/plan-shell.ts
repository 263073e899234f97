import type { PlannerTaskInput } from "../records/planner-task.ts";
import { TaskData, type TaskDataInput } from "../records/task-data.ts";
import type { ReadContext } from "./dialect.ts";
import { parseRecord } from "./parse-record.ts";

/** Tasks of a dialect as a plan: ids, defaults, `main_task_id`. @throws PlanError INVALID */
export function planOf(
  tasks: readonly PlannerTaskInput[],
  context: ReadContext,
  more: Omit<TaskDataInput, "planned_tasks"> = {},
): TaskData {
  const id = context.planId ?? more.task_id;
  const input = {
    ...more,
    ...(id !== undefined && { task_id: id }),
    ...(context.goal !== undefined && {
      task_input_data: { goal: context.goal, ...more.task_input_data },
      original_job_data: more.original_job_data ?? { job_goal: context.goal },
    }),
    planned_tasks: tasks,
  };
  const plan = parseRecord(TaskData, input, "a plan");
  return {
    ...plan,
    planned_tasks: plan.planned_tasks.map((task) =>
      task.main_task_id === "" ? { ...task, main_task_id: plan.task_id } : task,
    ),
  };
}

/** The goal a plan was made for, as one text, if it has one. */
export function goalOf(plan: TaskData): string | undefined {
  const goal = plan.task_input_data.goal ?? plan.original_job_data?.job_goal ?? plan.original_job_data?.goal;
  return typeof goal === "string" ? goal : undefined;
}
