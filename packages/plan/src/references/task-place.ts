import type { PlannerTask } from "../records/planner-task.ts";
import { readElementId } from "./flow-values.ts";

/** A task among the tasks that are planned beside it, and one of its elements where an address names one. */
export interface PlaceStep {
  readonly tasks: readonly PlannerTask[];
  readonly task: PlannerTask;
  readonly index?: number;
}

/** What an address means in a plan, from the outside in. */
export interface TaskPlace {
  /** One step for `fetch` and `fetch[42]`; two for `out[0]/in` and `out[0]/in[1]`; empty where not even the first name is one of the plan. */
  readonly steps: readonly PlaceStep[];
  /** What is not found in the plan; empty where the address means something. */
  readonly rest: string;
}

/**
 * Finds what an address names: a task, an element of a list (`fetch[42]`), or a task or element within an element (`out[0]/in[1]`), at any
 * depth. Whether a list has so many elements is not known here. An id of a task that looks like an address means that task.
 */
export function findPlace(tasks: readonly PlannerTask[], address: string): TaskPlace {
  const exact = tasks.find(({ task_id }) => task_id === address);
  if (exact !== undefined) return { steps: [{ tasks, task: exact }], rest: "" };
  let best: TaskPlace = { steps: [], rest: address };
  for (const task of tasks) {
    if (!address.startsWith(`${task.task_id}[`) && !address.startsWith(`${task.task_id}/`)) continue;
    const place = placeOfElement(tasks, task, address);
    if (place.rest === "") return place;
    if (place.rest.length < best.rest.length) best = place;
  }
  return best;
}

/** @param address begins with the id of `task` and says more */
function placeOfElement(tasks: readonly PlannerTask[], task: PlannerTask, address: string): TaskPlace {
  const after = address.indexOf("/", task.task_id.length);
  const name = after === -1 ? address : address.slice(0, after);
  const inner = after === -1 ? undefined : address.slice(after + 1);
  const element = readElementId(name);
  if (element?.taskId !== task.task_id || task.for_each === undefined)
    return { steps: [{ tasks, task }], rest: address.slice(task.task_id.length) };
  const step: PlaceStep = { tasks, task, index: element.index };
  if (inner === undefined) return { steps: [step], rest: "" };
  const place = findPlace(task.for_each.tasks ?? [], inner);
  return { steps: [step, ...place.steps], rest: place.rest };
}
