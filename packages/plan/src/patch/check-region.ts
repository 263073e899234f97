import { IssueCode, type PlanIssue } from "../issue.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { valueText } from "../validation/value-text.ts";
import { reach } from "./patch-base.ts";
import type { PatchFacts } from "./patch-facts.ts";
import { planRevision } from "./revision.ts";

/** States in which a task has used what it consumes. */
const started: ReadonlySet<PlannerTask["status"]> = new Set(["completed", "failed", "cancelled"]);

interface RegionOptions {
  /** The tasks that may be replaced. @default all */
  readonly region?: readonly string[];
}

/**
 * The patch is for this revision; what it replaces exists, may be replaced and is not running; what it renews has consumed
 * what is replaced, and all that has is renewed.
 */
export function checkRegion(facts: PatchFacts, options: RegionOptions): PlanIssue[] {
  return [
    ...staleIssues(facts),
    ...replacedIssues(facts, options),
    ...continuedIssues(facts),
    ...renewedIssues(facts),
    ...consumerIssues(facts),
  ];
}

function staleIssues({ base, patch }: PatchFacts): PlanIssue[] {
  const stale = (message: string): PlanIssue[] => [{ code: IssueCode.PATCH_STALE, severity: "error", message }];
  if (patch.plan_id !== base.plan.task_id) {
    const [meant, here] = [valueText(patch.plan_id), valueText(base.plan.task_id)];
    return stale(`The patch is for plan ${meant}, but this plan is ${here}.`);
  }
  const revision = planRevision(base.plan);
  if (patch.base !== revision) {
    const now = revision === "" ? "the plan was never patched" : `the plan is at ${valueText(revision)}`;
    return stale(
      `The patch is for revision ${valueText(patch.base)}, but ${now}. Propose a new patch for the current plan.`,
    );
  }
  if (patch.patch_id === revision) return stale(`The patch ${valueText(patch.patch_id)} was already applied.`);
  return [];
}

const regionIssue = (task_id: string, message: string): PlanIssue => ({
  code: IssueCode.PATCH_REGION,
  severity: "error",
  message,
  task_id,
});

const nameOf = (taskId: string): string => valueText(taskId, 130);

function replacedIssues({ base, patch }: PatchFacts, { region }: RegionOptions): PlanIssue[] {
  const allowed = region && new Set(region);
  const seen = new Set<string>();
  const fault = (taskId: string): string | undefined => {
    const task = base.index.get(taskId);
    const replaces = `The patch replaces ${nameOf(taskId)}`;
    if (task === undefined) return `${replaces}, which is not a task of the plan.`;
    if (seen.has(taskId)) return `${replaces} twice.`;
    if (allowed?.has(taskId) === false) return `${replaces}, which is outside the region.`;
    if (base.tasks[task]!.status !== "running") return undefined;
    return `Task ${nameOf(taskId)} is running; cancel it before it is replaced.`;
  };
  return patch.replacements.flatMap(({ task_id }) => {
    const message = fault(task_id);
    seen.add(task_id);
    return message === undefined ? [] : [regionIssue(task_id, message)];
  });
}

/** A new list continues with the elements of lists that are replaced, or of what those continued with. */
function continuedIssues({ base, patch }: PatchFacts): PlanIssue[] {
  const known = new Set<string>();
  for (const { task_id } of patch.replacements) {
    const list = base.tasks[base.index.get(task_id) ?? -1]?.for_each;
    if (list !== undefined) for (const id of [task_id, ...(list.continues ?? [])]) known.add(id);
  }
  return patch.tasks.flatMap(({ task_id, for_each }) => {
    const strange = for_each?.continues?.find((id) => !known.has(id));
    if (strange === undefined) return [];
    const message = `New task ${nameOf(task_id)} continues with the elements of ${nameOf(strange)}, which is not a list that the patch replaces.`;
    return [regionIssue(task_id, message)];
  });
}

function renewedIssues({ base, patch, downstream }: PatchFacts): PlanIssue[] {
  const changed = new Set(patch.replacements.map(({ task_id }) => task_id));
  const fault = (taskId: string): string | undefined => {
    const task = base.index.get(taskId);
    if (task === undefined || changed.has(taskId))
      return "which is not a task of the plan, or is replaced or renewed already";
    if (downstream[task] === 0 || !started.has(base.tasks[task]!.status))
      return "which does not depend on a replaced task or is not completed yet";
    return undefined;
  };
  return patch.renewed.flatMap(({ task_id }) => {
    const message = fault(task_id);
    changed.add(task_id);
    return message === undefined ? [] : [regionIssue(task_id, `The patch renews ${nameOf(task_id)}, ${message}.`)];
  });
}

/** A task that read an output which is replaced is not running, and is renewed if it has ended. */
function consumerIssues({ base, patch, removed }: PatchFacts): PlanIssue[] {
  const renewed = new Set(patch.renewed.map(({ task_id }) => task_id));
  const consumers = reach(base.referred.outPtr, base.referred.out, removed.keys());
  return base.tasks.flatMap(({ task_id, status }, task) => {
    if (consumers[task] === 0 || removed.has(task)) return [];
    if (status === "running") {
      const message = `Task ${nameOf(task_id)} is running on an output that is replaced; cancel it first.`;
      return [regionIssue(task_id, message)];
    }
    if (!started.has(status) || renewed.has(task_id)) return [];
    const message = `Task ${nameOf(task_id)} has consumed an output that is replaced, so the patch must renew it.`;
    return [regionIssue(task_id, message)];
  });
}
