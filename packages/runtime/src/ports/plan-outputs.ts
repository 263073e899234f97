import type { PlannerTask, PlanView, TaskData } from "@planloom/plan";

/**
 * The names that a task's output has in `output_data`: those by which the plan's `outputs` call it; in a plan without `outputs` the id and the
 * result variable of a task on which no other depends. Several for one output, or none.
 */
export type OutputNames = (task: PlannerTask, place: number) => readonly string[];

/** @param view of the plan, for its edges */
export function outputNames({ outputs }: Pick<TaskData, "outputs">, view: PlanView): OutputNames {
  if (outputs === undefined)
    return ({ task_id, result_variable }, place) =>
      view.outPtr[place] !== view.outPtr[place + 1]
        ? none
        : result_variable === undefined
          ? [task_id]
          : [task_id, result_variable];
  const names = new Map<string, string[]>();
  for (const [name, id] of Object.entries(outputs)) {
    const known = names.get(id);
    if (known === undefined) names.set(id, [name]);
    else known.push(name);
  }
  return ({ task_id }) => names.get(task_id) ?? none;
}

const none: readonly string[] = [];
