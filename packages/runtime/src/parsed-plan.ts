import { executionKinds, isRecord, TaskData, type TaskDataInput } from "@planloom/plan";

/** What plans of journals were parsed to when they were checked, so that running them does not parse them again. */
const checkedPlans = new WeakMap<object, TaskData>();

/** @returns the issue of a stored plan that cannot be parsed */
export function checkStoredPlan(plan: TaskData) {
  const { data, error } = TaskData.safeParse(plan);
  if (data !== undefined) checkedPlans.set(plan, data);
  return error?.issues[0];
}

/** What `checkStoredPlan` has parsed this very plan to. */
export function parsedStoredPlan(plan: TaskDataInput): TaskData | undefined {
  return checkedPlans.get(plan);
}

const executionTypes: ReadonlySet<unknown> = new Set([...executionKinds, ""]);

/** True for plans that were parsed before, as far as running needs it; parsing 100,000 tasks again takes 0.2 s. */
export function isAlreadyParsed(plan: TaskDataInput): plan is TaskData {
  return (
    isRecord(plan) &&
    typeof plan.task_id === "string" &&
    Array.isArray(plan.planned_tasks) &&
    plan.planned_tasks.every(
      (task) =>
        isRecord(task) &&
        typeof task.task_id === "string" &&
        task.task_id !== "" &&
        executionTypes.has(task.execution_type) &&
        typeof task.status === "string" &&
        typeof task.description === "string" &&
        Array.isArray(task.dependencies) &&
        isRecord(task.arguments) &&
        isRecord(task.parameters) &&
        task.convertor_code !== undefined &&
        task.estimate_data !== undefined &&
        (task.approval === undefined || task.approval === "required") &&
        task.on_failure === undefined &&
        task.retry === undefined &&
        task.timeout_ms === undefined &&
        task.for_each === undefined &&
        task.when === undefined &&
        task.choose === undefined &&
        task.join === undefined &&
        task.wait === undefined &&
        task.retry_until === undefined,
    )
  );
}
