import { diffPlans, type PlanDiff, type PlanPatch, type TaskData } from "@planloom/plan";
import {
  PlannerError,
  PlannerErrorCode,
  type ReplanOptions,
  SubGraphRePlanner,
  type SubGraphRePlannerOptions,
} from "@planloom/planner";

export interface ReplanPlanOptions {
  /** Ids of the tasks to replace, in addition to those that have `mark_replan`. */
  readonly mark?: readonly string[] | undefined;
  /** Wishes in words. */
  readonly note?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A plan with new tasks in the place of marked ones. */
export interface ReplannedPlan {
  readonly plan: TaskData;
  readonly patch: PlanPatch;
  /** The difference to the plan before. */
  readonly diff: PlanDiff;
  /** Id of the run whose plan was changed. */
  readonly run_id?: string;
}

/** @throws PlannerError REPLAN_INPUT when no task is marked, or a marked task is unknown; NO_VALID_REPLAN */
export async function replanPlan(
  before: TaskData,
  { mark = [], note, signal, failures }: ReplanPlanOptions & Pick<ReplanOptions, "failures">,
  options: SubGraphRePlannerOptions,
): Promise<ReplannedPlan> {
  const known = new Set(before.planned_tasks.map(({ task_id }) => task_id));
  const strange = mark.filter((id) => !known.has(id));
  const wanted = new Set(mark);
  const tasks = before.planned_tasks.map((task) => (wanted.has(task.task_id) ? { ...task, mark_replan: true } : task));
  if (strange.length > 0 || !tasks.some(({ mark_replan }) => mark_replan)) {
    const names = [...known].slice(0, 20).join(", ");
    const what = strange.length > 0 ? `got ${strange.join(", ")}` : "none is marked";
    const message = `Expected tasks of the plan to be marked, ${what}. Its tasks: ${names}${known.size > 20 ? ", …" : ""}.`;
    throw new PlannerError(PlannerErrorCode.REPLAN_INPUT, message, {
      details: { task_ids: strange, plan_id: before.task_id },
    });
  }
  const replanner = new SubGraphRePlanner(options);
  const { plan, patch } = await replanner.replaceReplanTasks(
    { subgraph_id: before.task_id, tasks, dependencies: [] },
    {
      plan: { ...before, planned_tasks: tasks },
      ...(failures === undefined ? {} : { failures }),
      ...(note === undefined ? {} : { customAppendText: note }),
      ...(signal === undefined ? {} : { signal }),
    },
  );
  // Something is marked, so there is a patch.
  return { plan, patch: patch!, diff: diffPlans(before, plan) };
}
