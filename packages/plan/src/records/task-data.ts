import { z } from "zod";
import { newId } from "./new-id.ts";
import { PlannerTask } from "./planner-task.ts";
import { TaskId } from "./task-id.ts";
import { unknownFieldError } from "./unknown-fields.ts";

export const PlanStatus = z.enum(["pending", "in_progress", "done", "failed", "cancelled"]);
export type PlanStatus = z.infer<typeof PlanStatus>;

const isoNow = () => new Date().toISOString();
const AnyRecord = z.record(z.string(), z.unknown());

const fields = {
  task_id: TaskId.default(() => newId()),
  /** What the planner was given. */
  task_input_data: AnyRecord.default({}),
  /** Ids of completed tasks. */
  completed_tasks: z.array(TaskId).default([]),
  /** Outputs of the tasks that `outputs` names; without it those of the sinks, by task id and by result variable. */
  output_data: AnyRecord.default({}),
  creation_time: z.string().default(isoNow),
  update_time: z.string().default(isoNow),
  planned_tasks: z.array(PlannerTask).default([]),
  status: PlanStatus.default("pending"),
  original_job_data: AnyRecord.nullable().default(null),

  title: z.string().optional(),
  /** Values that tasks refer to by name; `run(plan, {variables})` overrides them. */
  variables: AnyRecord.optional(),
  metadata: AnyRecord.optional(),
  /** What the plan gives: for each name in `output_data`, the id of the task whose output it is. Any task may be named, by several names too. */
  outputs: z.record(z.string(), TaskId).optional(),
};
/** A plan: the job it was made for and its tasks, a DAG. Fields and defaults are those of the Agents Planning System; an unknown field is an error. */
export const TaskData = z.strictObject(fields, { error: unknownFieldError("A plan", () => Object.keys(fields)) });
export type TaskData = z.infer<typeof TaskData>;
export type TaskDataInput = z.input<typeof TaskData>;
