import {
  EstimateData,
  lowerBounds,
  planView,
  type ResourceCatalogue,
  resourcePin,
  type TaskData,
} from "@planloom/plan";

export interface EstimatedPlan extends Pick<TaskData, "planned_tasks"> {
  /** Milliseconds along the longest path; empty when the duration of some task is unknown. */
  readonly metadata: { readonly estimated_duration_ms?: number };
}

/**
 * The tasks with what their pinned resources are expected to cost, where they say nothing themselves; so the optimizer and
 * the run's priorities have something to go by. `plan` is a valid DAG and is not changed.
 */
export function withEstimates(plan: TaskData, catalogue: ResourceCatalogue): EstimatedPlan {
  const planned_tasks = plan.planned_tasks.map((task) => {
    const { kind, uid } = resourcePin(task);
    if (kind === undefined || uid === undefined || task.estimate_data !== null) return task;
    // A server may say anything of its tools: what is not an estimate would make the plan invalid.
    const estimate = EstimateData.safeParse(catalogue.find(kind, uid)?.estimate);
    return estimate.success ? { ...task, estimate_data: estimate.data } : task;
  });
  const known =
    planned_tasks.length > 0 && planned_tasks.every((task) => task.estimate_data?.duration_ms !== undefined);
  if (!known) return { planned_tasks, metadata: {} };
  const view = planView({ ...plan, planned_tasks });
  return {
    planned_tasks,
    metadata: { estimated_duration_ms: lowerBounds(view, Number.POSITIVE_INFINITY).criticalPath },
  };
}
