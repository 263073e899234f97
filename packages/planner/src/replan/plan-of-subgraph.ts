import {
  collectReferences,
  localNames,
  PlannerTask,
  referringValues,
  type SubGraph,
  TaskData,
  TaskId,
} from "@planloom/plan";

/** A subgraph as a plan of its own. */
export interface SubgraphPlan {
  /** The subgraph's own task objects, after a placeholder for each task elsewhere that they need. */
  readonly plan: TaskData;
  /** Removes the placeholders from the resulting plan. */
  withoutStandIns(after: TaskData): TaskData;
}

/**
 * What a subgraph's tasks depend on or read may be a task of another subgraph, which is not handed in: it counts as given, with
 * an output of which nothing is known. O(tasks and their arguments).
 */
export function planOfSubgraph({ subgraph_id, tasks }: SubGraph): SubgraphPlan {
  const own = new Set(tasks.flatMap(({ task_id, result_variable }) => [task_id, result_variable ?? task_id]));
  const needed = new Set<string>();
  for (const task of tasks) {
    for (const id of task.dependencies) needed.add(id);
    const local = localNames(task);
    for (const { reference } of collectReferences(referringValues(task)))
      if (!local.has(reference.name)) needed.add(reference.name);
  }
  const standIns = [...needed]
    .filter((id) => !own.has(id) && id !== "input" && TaskId.safeParse(id).success)
    .map((task_id) => PlannerTask.parse({ task_id, description: "A task outside this subgraph" }));
  const strange = new Set(standIns.map(({ task_id }) => task_id));
  return {
    plan: { ...TaskData.parse({ task_id: subgraph_id }), planned_tasks: [...standIns, ...tasks] },
    withoutStandIns: (after) =>
      strange.size === 0
        ? after
        : { ...after, planned_tasks: after.planned_tasks.filter(({ task_id }) => !strange.has(task_id)) },
  };
}
