import type { PlannerTask } from "../records/planner-task.ts";
import { collectReferences } from "./collect-references.ts";
import { localNames, referringValues } from "./flow-values.ts";
import { inputName, taskNames } from "./task-names.ts";

/**
 * The names that a run of the plan may be given values for: its own variables, then those that tasks refer to and that name no task,
 * result or variable of the plan. Each once. O(plan)
 */
export function variableNames(plan: {
  readonly planned_tasks: readonly PlannerTask[];
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}): string[] {
  const names = new Set(Object.keys(plan.variables ?? {}));
  const produced = taskNames(plan.planned_tasks);
  for (const task of plan.planned_tasks) {
    const local = localNames(task);
    for (const { reference } of collectReferences(referringValues(task))) {
      const { name } = reference;
      if (name !== inputName && !produced.has(name) && !local.has(name)) names.add(name);
    }
  }
  return [...names];
}
