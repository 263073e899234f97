import type { PlannerTask } from "../records/planner-task.ts";
import { effectiveDependencies } from "../references/effective-dependencies.ts";
import { isDecidedByConditions } from "../references/inner-tasks.ts";
import { resourcePin } from "../resource-pin.ts";

/** A call that a task makes. */
export interface TaskCall {
  /** Absent where the resource is chosen later. */
  readonly name: string | undefined;
  /** True where the task, or one before it in the same element, has a gate. */
  readonly gated: boolean;
}

/** The calls of a task: its own, or those of the tasks that it executes for each element of its list. Linear. */
export function callsOfTask(task: PlannerTask, around = false): readonly TaskCall[] {
  const gated = around || task.approval === "required";
  const inner = task.for_each?.tasks;
  if (isDecidedByConditions(task)) return [];
  if (inner === undefined) return [{ name: callName(task), gated }];
  const behind = behindGates(inner);
  return inner.flatMap((each) => callsOfTask(each, gated || behind.has(each.task_id)));
}

/** Tasks may write `server/tool` or `tool`. */
export function callName(task: PlannerTask): string | undefined {
  return resourcePin(task).uid?.split("/").at(-1);
}

/** Ids of the tasks that come after one with a gate. */
function behindGates(tasks: readonly PlannerTask[]): ReadonlySet<string> {
  const found = new Set<string>();
  const open = tasks.flatMap(({ approval, task_id }) => (approval === "required" ? [task_id] : []));
  if (open.length === 0) return found;
  const followers = new Map<string, string[]>();
  for (const [number, sources] of effectiveDependencies(tasks).entries()) {
    for (const source of sources) {
      const known = followers.get(source);
      if (known === undefined) followers.set(source, [tasks[number]!.task_id]);
      else known.push(tasks[number]!.task_id);
    }
  }
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    for (const next of followers.get(id) ?? []) {
      if (found.has(next)) continue;
      found.add(next);
      open.push(next);
    }
  }
  return found;
}
