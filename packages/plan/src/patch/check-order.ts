import { definedValues, plainlyDefined } from "../hashes/plan-hashes.ts";
import { IssueCode, type PlanIssue } from "../issue.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { valueText } from "../validation/value-text.ts";
import { cycleAfter } from "./cycle-after.ts";
import type { PatchFacts } from "./patch-facts.ts";
import type { RewrittenPlan } from "./rewrite-plan.ts";

/**
 * The plan after the patch has an order, and the tasks that were rewritten do what they did. All others are the same
 * objects, and their names refer to the same things, so nothing about them can have changed.
 */
export function checkOrder(facts: PatchFacts, after: RewrittenPlan): PlanIssue[] {
  const issues: PlanIssue[] = [];
  const cycle = cycleAfter(facts);
  if (cycle !== undefined) {
    const message = `With the patch tasks form a cycle, each needing the next: ${cycle.slice(0, 12).join(" -> ")}.`;
    issues.push({
      code: IssueCode.CYCLE,
      severity: "error",
      message,
      task_id: cycle[0]!,
      actual: cycle.join(" -> "),
    });
  }
  const { base } = facts;
  const before = (name: string): string | undefined => {
    const task = base.names.get(name);
    return task === undefined ? undefined : base.tasks[task]!.task_id;
  };
  for (const [number, task] of after.rewritten) {
    const old = base.tasks[number]!;
    if (isSameWork(old, task, before, facts.resolve)) continue;
    issues.push({
      code: IssueCode.PATCH_REGION,
      severity: "error",
      message: `The patch changes what ${valueText(old.task_id, 130)} does, which is outside the region: it reads several replaced tasks, and they cannot become one.`,
      task_id: old.task_id,
    });
  }
  return issues;
}

/** What a definition hash is taken of is equal. */
function isSameWork(
  old: PlannerTask,
  task: PlannerTask,
  before: (name: string) => string | undefined,
  now: (name: string) => string | undefined,
): boolean {
  if (plainlyDefined.some((field) => old[field] !== task[field])) return false;
  const isSameFlow =
    old.for_each === task.for_each && old.when === task.when && old.choose === task.choose && old.join === task.join;
  const isSameWait = old.wait === task.wait && old.retry_until === task.retry_until;
  if (isSameFlow && isSameWait && old.arguments === task.arguments && old.parameters === task.parameters) return true;
  return definedValues(old, before).text === definedValues(task, now).text;
}
