import type { PlannerTask } from "../records/planner-task.ts";
import type { SubGraph } from "../records/sub-graph.ts";
import type { TaskData } from "../records/task-data.ts";
import type { PlanPatch } from "./plan-patch.ts";

/**
 * A subgraph as it is after a patch: each of its tasks as the new plan has it, new tasks where the first of those was that
 * they replace. Its id and dependencies stay. A new task in the place of tasks of several subgraphs is in each of them.
 * @param plan the plan after the patch.
 */
export function subGraphAfter(subgraph: SubGraph, patch: PlanPatch, plan: TaskData): SubGraph {
  const now = new Map(plan.planned_tasks.map((task) => [task.task_id, task]));
  const replacements = new Map(patch.replacements.map(({ task_id, replaced_by }) => [task_id, replaced_by]));
  const renewed = new Map(patch.renewed.map(({ task_id, new_task_id }) => [task_id, new_task_id]));
  const tasks = new Map<string, PlannerTask>();
  for (const { task_id } of subgraph.tasks) {
    for (const id of replacements.get(task_id) ?? [renewed.get(task_id) ?? task_id]) {
      const task = now.get(id);
      if (task !== undefined) tasks.set(id, task);
    }
  }
  return { ...subgraph, tasks: [...tasks.values()] };
}
