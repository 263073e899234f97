import { IssueCode, type PlanIssue, type PlanPatch, type ResourceCatalogue, type TaskData } from "@planloom/plan";
import { mendPlan } from "../stage1/mend-plan.ts";

/** What can be wrong with new tasks only in its form. Their ids and the region are the draft's. */
const mendable: ReadonlySet<IssueCode> = new Set([
  IssueCode.SELF_DEPENDENCY,
  IssueCode.UNKNOWN_DEPENDENCY,
  IssueCode.UNKNOWN_OUTPUT,
  IssueCode.TYPE_MISMATCH,
]);

/**
 * The patch of a model with what is wrong only in the form of its new tasks put right, as `mendPlan` does it for a plan, so that no call is spent on it.
 * Tasks of the plan stay as they are. What was done is said in the issues, as warnings; the same patch where nothing was.
 * @param issues what verification said of the patch
 */
export function mendPatch(
  plan: TaskData,
  patch: PlanPatch,
  issues: readonly PlanIssue[],
  catalogue: ResourceCatalogue,
): { readonly patch: PlanPatch; readonly issues: readonly PlanIssue[] } {
  const own = new Set(patch.tasks.map(({ task_id }) => task_id));
  const isOwn = ({ task_id }: PlanIssue) => task_id !== undefined && own.has(task_id);
  const wrong = issues.filter((issue) => mendable.has(issue.code) && isOwn(issue));
  if (wrong.length === 0) return { patch, issues: [] };
  const around = { ...plan, planned_tasks: [...plan.planned_tasks, ...patch.tasks] };
  const mended = mendPlan(around, wrong, catalogue);
  const said = mended.issues.filter(isOwn);
  if (said.length === 0) return { patch, issues: [] };
  return { patch: { ...patch, tasks: mended.plan.planned_tasks.slice(plan.planned_tasks.length) }, issues: said };
}
