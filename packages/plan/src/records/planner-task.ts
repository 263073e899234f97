import { z } from "zod";
import { executionKinds } from "../kinds/kinds.ts";
import { Choose, type ForEachFailure, forEachFields, Join, When } from "./control-flow.ts";
import { EstimateData } from "./estimate-data.ts";
import { newId } from "./new-id.ts";
import { TaskId } from "./task-id.ts";
import { unknownFieldError } from "./unknown-fields.ts";
import { RetryUntil, Wait } from "./waiting.ts";

/** The kind of a task: `""` means not decided yet (`parameters.sub_type` or Stage 2 decides). */
export const ExecutionType = z.enum([...executionKinds, ""]);
export type ExecutionType = z.infer<typeof ExecutionType>;

export const TaskStatus = z.enum([
  "pending",
  "running",
  "completed",
  "failed",
  "skipped",
  "waiting_approval",
  "waiting",
  "cancelled",
]);
export type TaskStatus = z.infer<typeof TaskStatus>;

/** What a failure of this task does to the run; overrides the run's own `onFailure`. */
export const OnFailure = z.enum(["continue", "halt", "replan"]);
export type OnFailure = z.infer<typeof OnFailure>;

/** Retry policy of a task or a run; a task's own overrides the run's. */
export const RetryPolicy = z.strictObject({
  /** Attempts in all, at least 1. */
  max_attempts: z.number().int().min(1),
  /** Wait before the second attempt, in milliseconds. */
  initial_delay_ms: z.number().nonnegative().optional(),
  /** Each further wait is this many times the one before. */
  backoff_factor: z.number().min(1).optional(),
  max_delay_ms: z.number().nonnegative().optional(),
});
export type RetryPolicy = z.infer<typeof RetryPolicy>;

/** The task is executed once for each element of a list that is known when it starts. Its output is the list of the elements' outputs, in order. */
export interface ForEach {
  items: string | unknown[] | { $ref: string };
  as?: string | undefined;
  concurrency?: number | undefined;
  on_failure?: ForEachFailure | undefined;
  failed_as?: "null" | "error" | undefined;
  max_items?: number | undefined;
  result?: string | undefined;
  given?: Record<string, unknown> | undefined;
  continues?: string[] | undefined;
  /** What is executed for each element, in place of the task itself: tasks that may depend on one another. */
  tasks?: PlannerTask[] | undefined;
}
/** What `ForEach.parse` accepts. */
export interface ForEachInput extends Omit<ForEach, "tasks"> {
  tasks?: PlannerTaskInput[] | undefined;
}
export const ForEach: z.ZodType<ForEach, ForEachInput> = z.lazy(() =>
  z.strictObject({ ...forEachFields, tasks: z.array(PlannerTask).min(1).max(1_000).optional() }),
) as z.ZodType<ForEach, ForEachInput>;

const isoNow = () => new Date().toISOString();
const Parameters = z.record(z.string(), z.unknown());

const fields = {
  task_id: TaskId.default(() => newId()),
  /** The plan's id; in a replanned task the id of the task first planned in its place. */
  main_task_id: z.string().default(""),
  description: z.string().default(""),
  execution_type: ExecutionType.default(""),
  /** Ids of tasks that must be completed first. */
  dependencies: z.array(TaskId).default([]),
  /** Pins the resource of a tool task; `function_id` and `agent_id` likewise. llm and dsl: `parameters.uid`. */
  tool_id: z.string().nullable().default(null),
  function_id: z.string().nullable().default(null),
  agent_id: z.string().nullable().default(null),
  /**
   * Task configuration, for Stage 2 and the executor's own code: `sub_type`, `uid`, `output_module`; of an llm task also `model`,
   * `temperature` and `max_tokens`. It is not part of the input of the call.
   */
  parameters: Parameters.default({}),
  /** What the executor is called with. */
  arguments: Parameters.default({}),
  /** Free text for Stage 2 and the executor. */
  instructions: z.string().nullable().default(null),
  /** A JSONata expression over the resolved arguments, giving the input. Never executed as a program. */
  convertor_code: z.string().nullable().default(null),
  estimate_data: EstimateData.nullable().default(null),
  mark_replan: z.boolean().default(false),
  status: TaskStatus.default("pending"),
  /** Any JSON. */
  output: z.unknown().default({}),
  /** ISO 8601, UTC. */
  creation_time: z.string().default(isoNow),
  last_update_time: z.string().default(isoNow),

  title: z.string().optional(),
  /** The model's reasoning for this task. */
  thought: z.string().optional(),
  /** A second name under which other tasks may refer to the output. */
  result_variable: z.string().min(1).max(128).optional(),
  retry: RetryPolicy.optional(),
  /** Limit per attempt, in milliseconds. */
  timeout_ms: z.number().positive().optional(),
  on_failure: OnFailure.optional(),
  /** `"required"`: a person must approve before the task starts. */
  approval: z.enum(["required"]).optional(),
  /** Executes the task for each element of a list; references name the element `${item}` and its place `${index}`. */
  for_each: ForEach.optional(),
  /** Executes the task only where a condition holds. */
  when: When.optional(),
  /** Decides which of several branches the plan takes. */
  choose: Choose.optional(),
  /** Which dependencies must be completed. @default "all" */
  join: Join.optional(),
  /** The task waits for a time or a signal, and calls nothing. */
  wait: Wait.optional(),
  /** The call is made again until its output meets a condition. */
  retry_until: RetryUntil.optional(),
};
/**
 * One unit of work. Fields and defaults are those of the Agents Planning System; the optional ones at the end are ours. An unknown field is an error.
 * `arguments` and `parameters` may hold references (`${task.path}`), which imply dependencies.
 */
export const PlannerTask = z.strictObject(fields, { error: unknownFieldError("A task", () => Object.keys(fields)) });
export type PlannerTask = z.infer<typeof PlannerTask>;
/** What `PlannerTask.parse` accepts: every field optional. */
export type PlannerTaskInput = z.input<typeof PlannerTask>;
