import { lowerBounds } from "../graph/bounds.ts";
import { planView } from "../graph/plan-view.ts";
import type { TaskData } from "../records/task-data.ts";
import { tasksOfPlan } from "../references/task-names.ts";

/** What a plan is expected to take. Tasks without an estimate count `DEFAULT_TASK_MS` and no money. */
export interface PlanTotals {
  readonly tasks: number;
  /** Along the longest path: the time with executors enough. */
  readonly critical_path_ms: number;
  /** All tasks one after another. */
  readonly work_ms: number;
  readonly cost: number;
  readonly tokens: number;
  /** Tasks whose duration is a guess. */
  readonly unestimated: number;
}

/** @throws PlanError as `planView`. */
export function planTotals(plan: TaskData): PlanTotals {
  const tasks = tasksOfPlan(plan);
  const view = planView(plan);
  const { criticalPath } = lowerBounds(view, Number.POSITIVE_INFINITY);
  const work = view.work.reduce((sum, each) => sum + each, 0);
  let cost = 0;
  let tokens = 0;
  let unestimated = 0;
  for (const { estimate_data } of tasks) {
    cost += estimate_data?.cost ?? 0;
    tokens += estimate_data?.tokens ?? 0;
    if (estimate_data?.duration_ms === undefined) unestimated++;
  }
  return { tasks: tasks.length, critical_path_ms: criticalPath, work_ms: work, cost, tokens, unestimated };
}
