import type { PlannerTask } from "../records/planner-task.ts";
import { collectReferences } from "./collect-references.ts";
import { elementNames } from "./flow-values.ts";

/** True where the condition of a task with `for_each` is about its elements, and so is asked for each of them. */
export function isAboutElements(task: Pick<PlannerTask, "for_each" | "when">): boolean {
  const { when } = task;
  if (when === undefined) return false;
  const names = elementNames(task);
  return names.length > 0 && collectReferences(when.condition).some(({ reference }) => names.includes(reference.name));
}

/** True where a task with `for_each` says of single elements that they may be skipped: by its condition, or once a deadline has passed. */
export function mayLeaveElementsOut(task: Pick<PlannerTask, "for_each" | "when" | "wait" | "retry_until">): boolean {
  if (task.for_each === undefined) return false;
  return isAboutElements(task) || (task.wait ?? task.retry_until)?.on_deadline === "skip";
}
