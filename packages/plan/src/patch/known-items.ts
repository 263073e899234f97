import { PlanError } from "../errors.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";
import { resolveReferences } from "../references/resolve-references.ts";

/** The items of a list as far as the plan has them: written out, of a variable, or of the output of a completed task. Undefined where one is not known. */
export function knownItems(
  { planned_tasks, variables }: Pick<TaskData, "planned_tasks" | "variables">,
  { for_each }: Pick<PlannerTask, "for_each">,
): readonly unknown[] | undefined {
  const known = new Map<string, unknown>(Object.entries(variables ?? {}));
  for (const { task_id, result_variable, status, output } of planned_tasks) {
    if (status !== "completed") continue;
    known.set(task_id, output);
    if (result_variable !== undefined) known.set(result_variable, output);
  }
  try {
    const items = resolveReferences(for_each?.items, (name) => ({ found: known.has(name), value: known.get(name) }));
    return Array.isArray(items) ? items : undefined;
  } catch (error) {
    if (error instanceof PlanError) return undefined;
    throw error;
  }
}
