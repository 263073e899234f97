import {
  IssueCode,
  type PlanIssue,
  type PlannerTask,
  type ResourceCatalogue,
  resourcePin,
  type TaskData,
} from "@planloom/plan";
import { closestIds } from "../stage2/closest-ids.ts";

/**
 * Tasks of a plan that name nobody who executes them, though the model was asked to name one: nothing of them can be checked before they are bound, so that such a plan
 * would pass whatever it says.
 * @param isLast it is not asked again, so that Stage 2 chooses who executes them: warnings then
 */
export function unnamedTasks(plan: TaskData, catalogue: ResourceCatalogue, isLast: boolean): PlanIssue[] {
  if (catalogue.all.length === 0) return [];
  return plan.planned_tasks.filter(isUnnamed).map((task) => {
    const { kind } = resourcePin(task);
    const known = kind === undefined ? catalogue.all : catalogue.ofKind(kind);
    const ids = known.map(({ id }) => id);
    const name = JSON.stringify(task.task_id);
    return {
      code: IssueCode.NO_RESOURCE,
      severity: isLast ? "warning" : "error",
      message: isLast
        ? `Task ${name} names nobody who executes it: that is chosen when it is its turn.`
        : `Task ${name} names nobody who executes it.`,
      task_id: task.task_id,
      repair: { operation: "add", candidates: closestIds(task.description, ids) },
    };
  });
}

/** Waits, decisions by conditions and lists with tasks of their own are not executed by a resource. */
function isUnnamed(task: PlannerTask): boolean {
  if (task.wait !== undefined || task.choose !== undefined || task.for_each?.tasks !== undefined) return false;
  return resourcePin(task).uid === undefined;
}
