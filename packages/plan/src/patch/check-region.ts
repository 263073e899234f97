import { IssueCode, type PlanIssue } from "../issue.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { valueText } from "../validation/value-text.ts";
import { reach } from "./patch-base.ts";
import type { PatchFacts } from "./patch-facts.ts";
import { planRevision } from "./revision.ts";

/** States in which a task has used what it consumes. */
const started: ReadonlySet<PlannerTask["status"]> = new Set(["completed", "failed", "cancelled"]);

/**
 * The patch is for this revision; what it replaces exists, may be replaced and is not running; what it renews has consumed
 * what is replaced, and all that has is renewed.
 */
export function checkRegion(facts: PatchFacts, options: { readonly region?: readonly string[] }): PlanIssue[] {
  const { base, patch } = facts;
  const issues: PlanIssue[] = [];
  const report = (code: IssueCode, message: string, task_id?: string): void => {
    issues.push({ code, severity: "error", message, ...(task_id !== undefined && { task_id }) });
  };
  const revision = planRevision(base.plan);
  if (patch.plan_id !== base.plan.task_id) {
    report(
      IssueCode.PATCH_STALE,
      `The patch is for plan ${valueText(patch.plan_id)}, but this plan is ${valueText(base.plan.task_id)}.`,
    );
  } else if (patch.base !== revision) {
    const now = revision === "" ? "the plan was never patched" : `the plan is at ${valueText(revision)}`;
    report(
      IssueCode.PATCH_STALE,
      `The patch is for revision ${valueText(patch.base)}, but ${now}. Propose a new patch for the current plan.`,
    );
  } else if (patch.patch_id === revision) {
    report(IssueCode.PATCH_STALE, `The patch ${valueText(patch.patch_id)} was already applied.`);
  }
  const allowed = options.region === undefined ? undefined : new Set(options.region);
  const seen = new Set<string>();
  for (const { task_id } of patch.replacements) {
    const task = base.index.get(task_id);
    const id = valueText(task_id, 130);
    if (task === undefined)
      report(IssueCode.PATCH_REGION, `The patch replaces ${id}, which is not a task of the plan.`, task_id);
    else if (seen.has(task_id)) report(IssueCode.PATCH_REGION, `The patch replaces ${id} twice.`, task_id);
    else if (allowed !== undefined && !allowed.has(task_id)) {
      report(IssueCode.PATCH_REGION, `The patch replaces ${id}, which is outside the region.`, task_id);
    } else if (base.tasks[task]!.status === "running") {
      report(IssueCode.PATCH_REGION, `Task ${id} is running; cancel it before it is replaced.`, task_id);
    }
    seen.add(task_id);
  }
  for (const { task_id, for_each } of patch.tasks) {
    const known = new Set<string>();
    for (const id of seen) {
      const list = base.tasks[base.index.get(id) ?? -1]?.for_each;
      if (list !== undefined) for (const each of [id, ...(list.continues ?? [])]) known.add(each);
    }
    const strange = for_each?.continues?.find((id) => !known.has(id));
    if (strange === undefined) continue;
    const message = `New task ${valueText(task_id, 130)} continues with the elements of ${valueText(strange, 130)}, which is not a list that the patch replaces.`;
    report(IssueCode.PATCH_REGION, message, task_id);
  }
  const renewed = new Set<string>();
  for (const { task_id } of patch.renewed) {
    const task = base.index.get(task_id);
    const id = valueText(task_id, 130);
    if (task === undefined || seen.has(task_id) || renewed.has(task_id)) {
      const message = `The patch renews ${id}, which is not a task of the plan, or is replaced or renewed already.`;
      report(IssueCode.PATCH_REGION, message, task_id);
    } else if (facts.downstream[task] === 0 || !started.has(base.tasks[task]!.status)) {
      const message = `The patch renews ${id}, which does not depend on a replaced task or is not completed yet.`;
      report(IssueCode.PATCH_REGION, message, task_id);
    }
    renewed.add(task_id);
  }
  const consumers = reach(base.referred.outPtr, base.referred.out, facts.removed.keys());
  for (let task = 0; task < base.tasks.length; task++) {
    if (consumers[task] === 0 || facts.removed.has(task)) continue;
    const { task_id, status } = base.tasks[task]!;
    if (status === "running") {
      const message = `Task ${valueText(task_id, 130)} is running on an output that is replaced; cancel it first.`;
      report(IssueCode.PATCH_REGION, message, task_id);
    } else if (started.has(status) && !renewed.has(task_id)) {
      const message = `Task ${valueText(task_id, 130)} has consumed an output that is replaced, so the patch must renew it.`;
      report(IssueCode.PATCH_REGION, message, task_id);
    }
  }
  return issues;
}
