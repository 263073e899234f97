import { executionKinds, kindRecord } from "../../kinds/kinds.ts";
import type { ExecutionType, TaskStatus } from "../../records/planner-task.ts";
import type { PlanStatus } from "../../records/task-data.ts";

/** Spellings of `execution_type` and of `parameters.sub_type`, in lower case. `l2_task` is open: `sub_type` decides. */
export const executionTypeSpellings: ReadonlyMap<string, ExecutionType> = new Map<string, ExecutionType>([
  ["", ""],
  ["l2_task", ""],
  ...executionKinds.flatMap((kind) => kindRecord(kind).spellings.map((spelling) => [spelling, kind] as const)),
]);

export const taskStatusSpellings: ReadonlyMap<string, TaskStatus> = new Map([
  ["", "pending"],
  ["pending", "pending"],
  ["running", "running"],
  ["in_progress", "running"],
  ["completed", "completed"],
  ["complete", "completed"],
  ["done", "completed"],
  ["success", "completed"],
  ["failed", "failed"],
  ["error", "failed"],
  ["skipped", "skipped"],
  ["waiting_approval", "waiting_approval"],
  ["waiting", "waiting"],
  ["cancelled", "cancelled"],
  ["canceled", "cancelled"],
]);

export const planStatusSpellings: ReadonlyMap<string, PlanStatus> = new Map([
  ["", "pending"],
  ["pending", "pending"],
  ["in_progress", "in_progress"],
  ["running", "in_progress"],
  ["done", "done"],
  ["completed", "done"],
  ["complete", "done"],
  ["failed", "failed"],
  ["error", "failed"],
  ["cancelled", "cancelled"],
  ["canceled", "cancelled"],
]);

export function spelling(text: string): string {
  return text.trim().toLowerCase();
}
