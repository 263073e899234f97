import { IssueCode, type PlanIssue, type ResourceCatalogue, type TaskData, validatePlan } from "@planloom/plan";

const availabilityCodes: ReadonlySet<IssueCode> = new Set([
  IssueCode.UNKNOWN_TOOL,
  IssueCode.UNKNOWN_AGENT,
  IssueCode.UNKNOWN_LLM,
  IssueCode.UNKNOWN_DSL,
  IssueCode.NO_RESOURCE,
]);

/**
 * The issues that matter to Stage 1. Two differ from plain validation:
 * - with `validateToolAvailability: false` resources that are not known are let through;
 * - a task that says nothing about its input (no arguments at all) leaves it to Stage 2, so its missing arguments are
 *   warnings. A task that gives some must give all.
 */
export function judgePlan(
  plan: TaskData,
  catalogue: ResourceCatalogue,
  { validateToolAvailability }: { readonly validateToolAvailability: boolean },
): PlanIssue[] {
  const leftToStage2 = new Set(
    plan.planned_tasks.filter(({ arguments: given }) => Object.keys(given).length === 0).map(({ task_id }) => task_id),
  );
  const issues: PlanIssue[] = [];
  for (const issue of validatePlan(plan, catalogue)) {
    if (!validateToolAvailability && availabilityCodes.has(issue.code)) continue;
    const open = issue.code === IssueCode.MISSING_ARGUMENT && leftToStage2.has(issue.task_id ?? "");
    issues.push(open ? { ...issue, severity: "warning" } : issue);
  }
  return issues;
}
