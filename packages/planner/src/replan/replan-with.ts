import type { ReplanFailure } from "@planloom/controller";
import type { BindOptions, PlanIssue, PlanPatch, TaskData } from "@planloom/plan";
import { SubGraphRePlanner, type SubGraphRePlannerOptions } from "./sub-graph-replanner.ts";

/** What a run wants to have changed. */
export interface ReplanCall {
  /** As it is: statuses, outputs, revision. */
  readonly plan: TaskData;
  readonly marked: readonly string[];
  /** These may be replaced too. */
  readonly optional: readonly string[];
  readonly failures: ReadonlyMap<string, ReplanFailure>;
  readonly causes: readonly { readonly task_id: string; readonly cause: string; readonly message?: string }[];
  /** What the run would refuse a patch for. */
  verify(patch: PlanPatch): readonly PlanIssue[];
}

/**
 * Replanning as the function that a run is handed: `SubGraphRePlanner` over what the run holds. `undefined`: the controller
 * found nothing to change.
 * @throws PlannerError CONFIG; the function rejects with NO_VALID_REPLAN.
 */
export function replanWith(
  options: SubGraphRePlannerOptions,
): (call: ReplanCall, context: BindOptions) => Promise<PlanPatch | undefined> {
  const replanner = new SubGraphRePlanner(options);
  return async ({ plan, marked, optional, failures, causes, verify }, { signal, beforeCall, onCall }) => {
    const region = new Set(marked);
    const planned_tasks = plan.planned_tasks.map((task) => {
      const mark_replan = region.has(task.task_id);
      return task.mark_replan === mark_replan ? task : { ...task, mark_replan };
    });
    const tasks = planned_tasks.filter(({ mark_replan }) => mark_replan);
    const { patch } = await replanner.replaceReplanTasks(
      { subgraph_id: plan.task_id, tasks, dependencies: [] },
      {
        plan: { ...plan, planned_tasks },
        optional,
        failures,
        verify,
        signal,
        customAppendText: noteOf(causes),
        ...(beforeCall !== undefined && { beforeCall }),
        ...(onCall !== undefined && { onCall }),
      },
    );
    return patch;
  };
}

/** Failures are described with their tasks. */
function noteOf(causes: ReplanCall["causes"]): string {
  const noted = causes.filter(
    ({ cause, message }) => message !== undefined && cause !== "failure" && cause !== "output",
  );
  return noted.map(({ task_id, message }) => (task_id === "" ? message : `${task_id}: ${message}`)).join("\n");
}
