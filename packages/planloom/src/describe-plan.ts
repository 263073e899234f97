import { notedIssues, planTitle, type TaskData } from "@planloom/plan";
import type { PlanQuestion } from "@planloom/planner";
import { answeredIssues } from "./answered-issues.ts";

/** What `plan_create` answers of a plan: its steps and what it lacks, as JSON. */
export function describePlan(plan: TaskData): Record<string, unknown> {
  const { issues: open, issue_count, more_issues } = answeredIssues(notedIssues(plan));
  return {
    success: !lacksAnswers(plan),
    plan_id: plan.task_id,
    title: planTitle(plan),
    step_count: plan.planned_tasks.length,
    steps: plan.planned_tasks.map(describeStep),
    ...(open.length === 0 ? {} : { left_open: open.map(({ message }) => message) }),
    ...(more_issues && { left_open_count: issue_count }),
    ...(lacksAnswers(plan) && {
      status: "questions",
      questions: questionsFor(plan),
      next: "Nothing was run. Call plan_execute with this plan_id and answers for these questions.",
    }),
  };
}

/** A step with all that decides what it does: who reads the plan before it runs sees what will be called with what. */
function describeStep(task: TaskData["planned_tasks"][number]): Record<string, unknown> {
  const {
    task_id,
    title,
    description,
    tool_id,
    agent_id,
    execution_type,
    dependencies,
    for_each,
    when,
    wait,
    approval,
  } = task;
  return {
    index: task_id,
    title: title ?? description,
    tool: tool_id ?? agent_id ?? execution_type,
    arguments: task.arguments,
    depends_on: dependencies,
    ...(for_each && { for_each }),
    ...(when && { when }),
    ...(wait && { wait }),
    ...(approval && { approval }),
  };
}

const questionsIn = ({ metadata }: TaskData) =>
  Array.isArray(metadata?.questions) ? (metadata.questions as readonly PlanQuestion[]) : [];

/** True of a plan that lacks arguments: it is not run before they are given. */
export const lacksAnswers = (plan: TaskData) => questionsIn(plan).length > 0;

/** What a plan lacks, as a model is asked for it. */
export function questionsFor(plan: TaskData) {
  return questionsIn(plan).map(({ name, type, description, choices, suggestions, secret }) => ({
    ...{ name, type, description },
    ...(choices !== undefined && { choices }),
    ...(suggestions !== undefined && { suggestions }),
    ...(secret === true && { secret }),
  }));
}
