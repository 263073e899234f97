import { isRecord } from "../json.ts";
import { executionKinds } from "../kinds/kinds.ts";
import { EstimateData } from "../records/estimate-data.ts";
import type { PlannerTask } from "../records/planner-task.ts";

type Fields = { readonly [Key in keyof Required<PlannerTask>]: (value: unknown) => boolean };

const text = (value: unknown) => typeof value === "string";
const textOrNull = (value: unknown) => value === null || typeof value === "string";
const absent = (value: unknown) => value === undefined;
const optionalText = (value: unknown) => value === undefined || typeof value === "string";
const oneOf = (values: readonly string[]) => (value: unknown) => values.includes(value as string);
const isTaskId = (value: unknown) =>
  typeof value === "string" && value.length > 0 && value.length <= 128 && !(value in Object.prototype);

/** What each field of a task looks like in the common case; a new field must say. */
const fields: Fields = {
  task_id: isTaskId,
  main_task_id: text,
  description: text,
  execution_type: oneOf([...executionKinds, ""]),
  dependencies: (value) => Array.isArray(value) && value.every(isTaskId),
  tool_id: textOrNull,
  function_id: textOrNull,
  agent_id: textOrNull,
  parameters: isPlainRecord,
  arguments: isPlainRecord,
  instructions: textOrNull,
  convertor_code: textOrNull,
  estimate_data: (value) => value === null || EstimateData.safeParse(value).success,
  mark_replan: (value) => typeof value === "boolean",
  status: oneOf(["pending", "running", "completed", "failed", "skipped", "waiting_approval", "waiting", "cancelled"]),
  output: (value) => value !== undefined,
  creation_time: text,
  last_update_time: text,
  title: optionalText,
  thought: optionalText,
  result_variable: (value) =>
    value === undefined || (typeof value === "string" && value.length > 0 && value.length <= 128),
  retry: absent,
  timeout_ms: absent,
  on_failure: absent,
  approval: absent,
  for_each: absent,
  when: absent,
  choose: absent,
  join: absent,
  wait: absent,
  retry_until: absent,
};
const entries = Object.entries(fields) as [keyof Fields, (value: unknown) => boolean][];

/**
 * True only if `PlannerTask` would read the value as it is, with no default to fill in. Sufficient, not necessary: it
 * spares the schema, which takes 4 µs a task, where a task is complete already; all else goes through the schema.
 */
export function isPlainTask(value: unknown): value is PlannerTask {
  if (!isPlainRecord(value)) return false;
  for (const [key, holds] of entries) if (!holds(value[key])) return false;
  return true;
}

function isPlainRecord(value: unknown): value is Record<string, unknown> {
  if (!isRecord(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
