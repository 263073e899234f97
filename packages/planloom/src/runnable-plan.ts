import { isDeepStrictEqual } from "node:util";
import { type PlanIssue, type PlannerTaskInput, TaskData, type TaskDataInput } from "@planloom/plan";
import { PlanloomError, PlanloomErrorCode } from "./errors.ts";
import type { PlanService } from "./plan-service.ts";
import type { PlanloomRunOptions } from "./planloom-options.ts";

/** The plan, once it was found valid with the values that the run is given for its variables. @throws PlanloomError INVALID_PLAN, OPEN_QUESTIONS */
export function runnablePlan(
  plan: TaskDataInput,
  planning: PlanService,
  variables: PlanloomRunOptions["variables"] = {},
): TaskData {
  const hasAll = Object.entries(variables).every(
    ([name, value]) => Object.hasOwn(plan.variables ?? {}, name) && isDeepStrictEqual(plan.variables?.[name], value),
  );
  const given = hasAll ? plan : { ...plan, variables: { ...plan.variables, ...variables } };
  const errors = planning.judge(given).filter(({ severity }) => severity === "error");
  if (errors.length === 0) return TaskData.parse(plan);
  if (Array.isArray(given.metadata?.questions)) refuseDraft(TaskData.parse(given), planning, errors);
  const lines = errors.slice(0, 3).map(({ message }) => message);
  const more = errors.length > lines.length ? ` (and ${errors.length - lines.length} more)` : "";
  throw new PlanloomError(PlanloomErrorCode.INVALID_PLAN, `The plan cannot run: ${lines.join(" ")}${more}`, {
    details: { issues: errors },
  });
}

/** The plan with what it leaves out filled in: the same object where nothing is left out. @throws PlanloomError INVALID_PLAN */
export function wholePlan(plan: TaskDataInput): TaskData {
  const isWhole = (task: PlannerTaskInput | null) =>
    task?.dependencies !== undefined && task.parameters !== undefined && task.description !== undefined;
  if (plan?.task_id !== undefined && Array.isArray(plan.planned_tasks) && plan.planned_tasks.every(isWhole))
    return plan as TaskData;
  const read = TaskData.safeParse(plan);
  if (read.success) return read.data;
  const { path, message } = read.error.issues[0]!;
  throw new PlanloomError(
    PlanloomErrorCode.INVALID_PLAN,
    `Expected a plan (TaskData): ${path.length === 0 ? "" : `${path.join(".")}: `}${message}.`,
    {
      details: { issues: read.error.issues.map((issue) => ({ path: issue.path.join("."), message: issue.message })) },
    },
  );
}

/** @throws PlanloomError OPEN_QUESTIONS where answers are all that the plan lacks */
function refuseDraft(plan: TaskData, planning: PlanService, issues: readonly PlanIssue[]): void {
  const questions = planning.questions(plan);
  if (questions.length === 0) return;
  const named = questions.slice(0, 5).map(({ name, type }) => `${name} (${type})`);
  const more = questions.length > named.length ? ` and ${questions.length - named.length} more` : "";
  const message = `The plan is a draft and was not run: it lacks ${named.join(", ")}${more}. Give them with answer(plan, {${JSON.stringify(questions[0]?.name)}: …}).`;
  throw new PlanloomError(PlanloomErrorCode.OPEN_QUESTIONS, message, { details: { questions, issues } });
}
