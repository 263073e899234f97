import {
  applyPatch,
  type DraftPatchOptions,
  diffPlans,
  isElementOf,
  type PlanDiff,
  type PlanPatch,
  splitElements,
  type TaskData,
  whyNotReplaced,
} from "@planloom/plan";
import {
  PlannerError,
  PlannerErrorCode,
  type ReplanOptions,
  SubGraphRePlanner,
  type SubGraphRePlannerOptions,
} from "@planloom/planner";

export interface ReplanPlanOptions {
  /** Ids of the tasks to replace, or of elements of lists (`fetch[42]`), in addition to the tasks that have `mark_replan`. */
  readonly mark?: readonly string[] | undefined;
  /** Wishes in words. */
  readonly note?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** A plan with new tasks in the place of marked ones. */
export interface ReplannedPlan {
  readonly plan: TaskData;
  readonly patch: PlanPatch;
  /** Where elements were marked: the patch that made tasks of them, before `patch` replaced those. Absent if they were tasks of their own already. */
  readonly split?: PlanPatch;
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
  const elements = mark.filter((id) => isElementOf(before, id));
  const split = elements.length === 0 ? undefined : splitElements(before, elements, idsOf(options));
  if (split?.issues.length) throw notMarked(before, mark, split.issues[0]!.message);
  const base = split?.patch === undefined ? before : applyPatch(before, split.patch, { inputs: "any" });
  const wanted = new Set(mark.map((id) => split?.tasks?.get(id) ?? id));
  const known = new Set(base.planned_tasks.map(({ task_id }) => task_id));
  const strange = [...wanted].filter((id) => !known.has(id));
  const tasks = base.planned_tasks.map((task) => (wanted.has(task.task_id) ? { ...task, mark_replan: true } : task));
  if (strange.length > 0) {
    const within = strange.map((id) => whyNotReplaced(before, id)).find((why) => why !== undefined);
    throw notMarked(before, strange, within ?? `got ${strange.join(", ")}`);
  }
  if (!tasks.some(({ mark_replan }) => mark_replan)) throw notMarked(before, strange, "none is marked");
  const knownFailures = new Map(failures);
  for (const [element, task] of split?.tasks ?? []) {
    const failure = failures?.get(element);
    if (failure !== undefined) knownFailures.set(task, failure);
  }
  const replanner = new SubGraphRePlanner(options);
  const { plan, patch } = await replanner.replaceReplanTasks(
    { subgraph_id: base.task_id, tasks, dependencies: [] },
    {
      plan: { ...base, planned_tasks: tasks },
      failures: knownFailures,
      ...(note === undefined ? {} : { customAppendText: note }),
      ...(signal === undefined ? {} : { signal }),
    },
  );
  // Something is marked, so there is a patch.
  return {
    plan,
    patch: patch!,
    ...(split?.patch !== undefined && { split: split.patch }),
    diff: diffPlans(before, plan),
  };
}

function notMarked(plan: TaskData, strange: readonly string[], what: string): PlannerError {
  const names = plan.planned_tasks.slice(0, 20).map(({ task_id }) => task_id);
  const message = `Expected tasks of the plan, or elements of its lists, to be marked: ${what.replace(/\.$/, "")}. Its tasks: ${names.join(", ")}${plan.planned_tasks.length > 20 ? ", …" : ""}.`;
  return new PlannerError(PlannerErrorCode.REPLAN_INPUT, message, {
    details: { task_ids: strange, plan_id: plan.task_id },
  });
}

function idsOf({ newId, now }: SubGraphRePlannerOptions): DraftPatchOptions {
  return { ...(newId !== undefined && { newId }), ...(now !== undefined && { now }) };
}
