import {
  executionKinds,
  IssueCode,
  isRecord,
  kindRecord,
  type OptionChecks,
  type PlanIssue,
  type ResourceCatalogue,
  validatePlan,
} from "@planloom/plan";
import { checkOptions } from "../check-options.ts";
import { namedQuestions, questionKey } from "../questions/plan-question.ts";
import { keptVerdict } from "./kept-verdict.ts";

const availabilityCodes: ReadonlySet<IssueCode> = new Set([
  ...executionKinds.map((kind) => kindRecord(kind).unknownCode),
  IssueCode.NO_RESOURCE,
]);

export interface JudgePlanOptions {
  /** False lets tasks name resources that are not known: such issues are warnings. @default true */
  readonly validateToolAvailability?: boolean;
}

/** What is checked of each option. */
export const judgeChecks = { validateToolAvailability: "boolean" } as const satisfies OptionChecks<JudgePlanOptions>;

/**
 * `validatePlan` as it is meant where a Stage 2 follows: a task that has no arguments at all, but a description or instructions,
 * leaves its input to Stage 2, so its missing arguments are warnings. A task that gives some must give all, and so must one
 * that has no words to bind it by, and one of whose arguments the planner has said that it does not know them (`metadata.questions`).
 * A plan that was judged before (`keepVerdict`) and is unchanged is not judged again.
 * For any plan it throws nothing but PlannerError OPTION; a plan without an issue of severity `error` can be run.
 */
export function judgePlan(plan: unknown, catalogue: ResourceCatalogue, options: JudgePlanOptions = {}): PlanIssue[] {
  checkOptions("`judgePlan`", options, judgeChecks);
  const { validateToolAvailability = true } = options;
  const kept = keptVerdict(plan, catalogue.all);
  if (kept !== undefined) return kept;
  const issues = validatePlan(plan, catalogue).map((issue): PlanIssue => {
    const mayBeAbsent = !validateToolAvailability && availabilityCodes.has(issue.code);
    return mayBeAbsent ? { ...issue, severity: "warning" } : issue;
  });
  return withSilentMissing(issues, plan);
}

/** The issues with missing arguments of tasks that say nothing about their input as warnings. */
export function withSilentMissing(issues: PlanIssue[], planOrTasks: unknown): PlanIssue[] {
  if (!issues.some(({ code }) => code === IssueCode.MISSING_ARGUMENT)) return issues;
  const silent = silentTasks(planOrTasks);
  const asked = namedQuestions(planOrTasks);
  return issues.map((issue) =>
    issue.code === IssueCode.MISSING_ARGUMENT &&
    silent.has(issue.task_id) &&
    !asked.has(questionKey(issue.task_id, issue.argument_path))
      ? { ...issue, severity: "warning" }
      : issue,
  );
}

/** Ids of the tasks that leave their input to Stage 2: they have no arguments, and words to bind them by. */
function silentTasks(plan: unknown): Set<unknown> {
  const tasks = Array.isArray(plan)
    ? plan
    : isRecord(plan) && Array.isArray(plan.planned_tasks)
      ? plan.planned_tasks
      : [];
  const silent = tasks.filter((task): task is Record<string, unknown> => {
    if (!isRecord(task) || !(hasWords(task.description) || hasWords(task.instructions))) return false;
    return task.arguments === undefined || (isRecord(task.arguments) && Object.keys(task.arguments).length === 0);
  });
  return new Set(silent.map(({ task_id }) => task_id));
}

const hasWords = (text: unknown) => typeof text === "string" && text.trim() !== "";
