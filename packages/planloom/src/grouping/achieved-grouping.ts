import { simulate } from "@planloom/optimizer";
import { planView, viewWithCosts } from "@planloom/plan";
import type { Dispatcher, RunResult } from "@planloom/runtime";
import type { GroupedPlan } from "./grouped-plan.ts";

/** How long a completed run took beside what was predicted of its grouping, and what made the difference. Plain JSON; times in milliseconds. */
export interface AchievedGrouping {
  /** From the start of the run to the end of its last task. */
  readonly achieved_ms: number;
  /** What one dispatch for each task would have taken: simulated with the durations that tasks had in this run and what its dispatches cost. */
  readonly per_task_ms: number;
  /** achieved - predicted, as a share of what was predicted. */
  readonly off_by: number;
  /** achieved - predicted, in parts: their sum is the difference. A part below 0 made the run shorter. */
  readonly difference: {
    /** Tasks took longer than estimated. */
    readonly tasks_ms: number;
    /** Dispatches, and tasks beside their own duration, cost executors more. */
    readonly overhead_ms: number;
    /** Executors had no subgraph for longer: until others had ended, and at the start and the end of the run. */
    readonly idle_ms: number;
  };
}

/** A dispatcher, and how long it had subgraphs. */
export interface MeasuredDispatcher {
  readonly dispatcher: Dispatcher;
  /** All dispatches together, in milliseconds. */
  busyMs(): number;
}

export function measuredDispatcher(to: Dispatcher): MeasuredDispatcher {
  let busyMs = 0;
  return {
    dispatcher: {
      name: to.name,
      ...(to.governed !== undefined && { governed: to.governed }),
      dispatch: async (request, context) => {
        const began = performance.now();
        try {
          return await to.dispatch(request, context);
        } finally {
          busyMs += performance.now() - began;
        }
      },
    },
    busyMs: () => busyMs,
  };
}

/**
 * Executor time is tasks, overhead and idling, in the prediction as in the run: so what each of them differs by, divided by the executors, is its part of the difference.
 * @returns undefined for a run that is not the one that was predicted: not completed, continued, replanned, or without a limit of executors
 */
export function achievedGrouping(
  { environment, predictedMs, dispatches, estimatesMs }: GroupedPlan,
  { end_reason, replanned, results, certificate, plan }: RunResult,
  busyMs: number,
): AchievedGrouping | undefined {
  const { executors, overheadMs, taskOverheadMs = 0 } = environment;
  const isAnother = replanned === true || results.some(({ recorded }) => recorded === true);
  if (end_reason !== "completed" || isAnother || !Number.isFinite(executors) || predictedMs === 0) return undefined;
  const { achievedMs } = certificate;
  const ranMs = results.reduce((sum, { duration_ms }) => sum + duration_ms, 0);
  const estimatedMs = results.reduce((sum, { task_id }) => sum + (estimatesMs[task_id] ?? 0), 0);
  const tasks_ms = (ranMs - estimatedMs) / executors;
  const overhead_ms = (busyMs - ranMs - dispatches * overheadMs - results.length * taskOverheadMs) / executors;
  const idle_ms = achievedMs - predictedMs - tasks_ms - overhead_ms;
  return {
    achieved_ms: achievedMs,
    per_task_ms: perTaskMs(
      plan,
      { environment, estimatesMs },
      { results, dispatchMs: overheadMs + (overhead_ms * executors) / dispatches },
    ),
    off_by: achievedMs / predictedMs - 1,
    difference: { tasks_ms, overhead_ms, idle_ms },
  };
}

/** One dispatch for each task of the plan with the durations that its tasks had, in the order in which their estimates would have sent them. */
function perTaskMs(
  plan: RunResult["plan"],
  { environment, estimatesMs }: Pick<GroupedPlan, "environment" | "estimatesMs">,
  { results, dispatchMs }: { readonly results: RunResult["results"]; readonly dispatchMs: number },
): number {
  const listed = planView(plan);
  const view = viewWithCosts(listed, { work: Float64Array.from(listed.ids, (id) => estimatesMs[id] ?? 0) });
  const took = new Map(results.map(({ task_id, duration_ms }) => [task_id, duration_ms]));
  const { taskOverheadMs = 0, classes } = environment;
  const overheadMs = Math.max(0, dispatchMs);
  const paid = {
    ...environment,
    overheadMs,
    ...(classes !== undefined && { classes: classes.map((each) => ({ ...each, overheadMs })) }),
  };
  const work = Float64Array.from(view.ids, (id) => (took.get(id) ?? 0) + taskOverheadMs);
  const part = Int32Array.from(view.ids, (_, at) => at);
  return simulate(view, paid, { part, count: view.n }, { work }).makespanMs;
}
