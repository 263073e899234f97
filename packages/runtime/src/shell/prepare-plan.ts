import {
  isRecord,
  nameCollisions,
  PlanError,
  type PlanView,
  planView,
  type ReferenceLookup,
  TaskData,
  type TaskDataInput,
} from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";

/** A plan that can run. */
export interface PreparedPlan {
  readonly plan: TaskData;
  readonly view: PlanView;
}

/**
 * Checks what must hold for a plan to run at all: its shape, unique ids, known dependencies, no cycle, no name for two
 * things. What concerns one task alone (an unknown tool, say) is that task's failure, not the run's.
 * @throws RuntimeError INVALID_PLAN
 */
export function preparePlan(given: TaskDataInput, variables: Readonly<Record<string, unknown>> = {}): PreparedPlan {
  const parsed = isWhole(given) ? given : parsePlan(given);
  const named = Object.keys(variables).length > 0;
  const plan = named ? { ...parsed, variables: { ...parsed.variables, ...variables } } : parsed;
  if (plan.variables !== undefined || plan.planned_tasks.some((task) => task.result_variable !== undefined)) {
    checkNames(plan);
  }
  try {
    return { plan, view: planView(plan) };
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    throw invalidPlan(
      error.message,
      { ...error.details, issues: [{ code: error.code, message: error.message }] },
      error,
    );
  }
}

/** Values by name: outputs of completed tasks by id and result variable, plan variables, `input`. */
export function makeLookup(
  { plan, view }: PreparedPlan,
  output: (task: number) => { readonly found: boolean; readonly value?: unknown },
  input: unknown,
): ReferenceLookup {
  const byVariable = new Map<string, number>();
  for (const [number, { result_variable }] of plan.planned_tasks.entries()) {
    if (result_variable !== undefined) byVariable.set(result_variable, number);
  }
  const variables = plan.variables ?? {};
  return (name) => {
    const task = view.indexOf(name);
    if (task !== -1) return output(task);
    const produced = byVariable.get(name);
    if (produced !== undefined) return output(produced);
    if (Object.hasOwn(variables, name)) return { found: true, value: variables[name] };
    return name === "input" ? { found: true, value: input } : { found: false };
  };
}

/** True for plans that were parsed before, as far as running needs it; parsing 100,000 tasks again takes 0.2 s. */
function isWhole(plan: TaskDataInput): plan is TaskData {
  return (
    isRecord(plan) &&
    typeof plan.task_id === "string" &&
    Array.isArray(plan.planned_tasks) &&
    plan.planned_tasks.every(
      (task) =>
        isRecord(task) &&
        typeof task.task_id === "string" &&
        task.task_id !== "" &&
        typeof task.execution_type === "string" &&
        typeof task.status === "string" &&
        typeof task.description === "string" &&
        Array.isArray(task.dependencies) &&
        isRecord(task.arguments) &&
        isRecord(task.parameters) &&
        task.convertor_code !== undefined &&
        task.estimate_data !== undefined &&
        task.retry === undefined &&
        task.timeout_ms === undefined,
    )
  );
}

function parsePlan(given: unknown): TaskData {
  const result = TaskData.safeParse(given);
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, 20).map(({ path, message }) => ({ path: path.join("."), message }));
  const first = issues[0];
  throw invalidPlan(
    `Expected a plan (TaskData): ${first?.path ? `${first.path}: ` : ""}${first?.message}${issues.length > 1 ? ` (and ${issues.length - 1} more)` : ""}.`,
    { issues },
    result.error,
  );
}

function checkNames(plan: TaskData): void {
  const [collision] = nameCollisions(plan);
  if (collision === undefined) return;
  const holders = collision.holders.map(({ kind, task_id }) =>
    task_id === undefined ? kind : `${kind} of "${task_id}"`,
  );
  const message = `The name "${collision.name}" stands for ${holders.join(" and ")}; references to it would be ambiguous. Rename one.`;
  throw invalidPlan(message, { issues: [{ code: "name_collision", message }] });
}

function invalidPlan(message: string, details: Readonly<Record<string, unknown>>, cause?: unknown): RuntimeError {
  return new RuntimeError(RuntimeErrorCode.INVALID_PLAN, message, { details, cause });
}
