import {
  choiceFault,
  hasOnlyKnownFields,
  isRecord,
  keptUnreadIssues,
  nameCollisions,
  PlanError,
  type PlanIssue,
  type PlannerTask,
  type PlanView,
  planView,
  type ReferenceLookup,
  TaskData,
  type TaskDataInput,
  taskNames,
  unreadFields,
  unreadIssue,
  withKnownFields,
} from "@planloom/plan";
import { prototypeKeys, variableDepthIssues } from "@planloom/plan/internals";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { isAlreadyParsed, parsedStoredPlan } from "../parsed-plan.ts";
import { plainPlan } from "./plain-plan.ts";

/** A plan that can run. */
export interface RunnablePlan {
  readonly plan: TaskData;
  readonly view: PlanView;
}

/**
 * Checks what must hold for a plan to run at all: its shape, unique ids, known dependencies, no cycle, no name for two
 * things. What concerns one task alone (an unknown tool, say) is that task's failure, not the run's.
 * Fields that nothing reads are refused, since one that is misspelt may be a gate. Of a plan that an earlier version has stored only
 * those are refused that look like a gate, a limit or a dependency, and the others are left out.
 * @param options.stored the plan comes from a journal
 * @throws RuntimeError INVALID_PLAN
 */
export function runnablePlan(
  given: TaskDataInput,
  variables: Readonly<Record<string, unknown>> = {},
  { stored = false }: { readonly stored?: boolean } = {},
): RunnablePlan {
  const known = knownFields(given, stored);
  if (!stored) checkNamesOfTasks(known);
  const read = isAlreadyParsed(known) ? known : (stored && parsedStoredPlan(known)) || parsePlan(known);
  const parsed = stored ? read : plainPlan(read);
  const named = Object.keys(variables).length > 0;
  const plan = named ? { ...parsed, variables: { ...parsed.variables, ...variables } } : parsed;
  if (parsed.metadata !== undefined) refuse(keptUnreadIssues(parsed.metadata));
  if (plan.variables !== undefined && !stored) refuseDeepVariables(plan.variables);
  if (plan.variables !== undefined || plan.planned_tasks.some(hasNames)) {
    checkNames(plan);
  }
  try {
    for (const task of plan.planned_tasks) {
      if (task.choose !== undefined) checkChoice(task);
      if (task.for_each?.tasks !== undefined) checkInner(task, 1);
    }
    const view = planView(plan);
    if (plan.outputs !== undefined) checkOutputs(plan.outputs, view);
    return { plan, view };
  } catch (error) {
    if (!(error instanceof PlanError)) throw error;
    throw invalidPlan(
      error.message,
      { ...error.details, issues: [{ code: error.code, message: error.message }] },
      error,
    );
  }
}

/** What `runnableElement` has checked, by the tasks as the list has them. */
const ofElements = new WeakMap<readonly unknown[], RunnablePlan & { readonly names: string }>();

/**
 * The tasks of an element as a plan. They are the same for all elements of a list, so that they are checked for the first of them only; the others have
 * other values of the same variables.
 * @throws RuntimeError INVALID_PLAN
 */
export function runnableElement(given: TaskData): RunnablePlan {
  const { planned_tasks, variables = {} } = given;
  const names = JSON.stringify(Object.keys(variables));
  const known = ofElements.get(planned_tasks);
  if (known?.names === names) {
    refuseDeepVariables(variables);
    return { plan: { ...given, planned_tasks: known.plan.planned_tasks }, view: known.view };
  }
  const runnable = runnablePlan(given);
  ofElements.set(planned_tasks, { ...runnable, names });
  return runnable;
}

/** What is nested too deep would fail the task that takes it, long after. */
function refuseDeepVariables(variables: Readonly<Record<string, unknown>>): void {
  const issues = variableDepthIssues(variables);
  const [first] = issues;
  if (first !== undefined) throw invalidPlan(first.message, { issues });
}

function hasNames({ result_variable, for_each }: PlannerTask): boolean {
  return result_variable !== undefined || for_each !== undefined;
}

/** How deep tasks with `for_each` may be in one another: a plan is read level by level. */
const maxForEachDepth = 8;

/** The tasks that are executed for each element must have an order and names of their own, as those of the plan. @throws PlanError */
function checkInner({ task_id, for_each }: PlannerTask, depth: number): void {
  const { tasks = [], result } = for_each ?? {};
  if (depth > maxForEachDepth) {
    const message = `Expected \`for_each\` at most ${maxForEachDepth} deep in one another, got more (task "${task_id}").`;
    throw invalidPlan(message, { issues: [{ code: "schema", message, task_id }] });
  }
  checkNames({ planned_tasks: tasks });
  planView(tasks);
  if (result !== undefined && !taskNames(tasks).has(result)) {
    const message = `Expected \`for_each.result\` of task "${task_id}" to name one of its tasks, got "${result}".`;
    throw invalidPlan(message, { issues: [{ code: "unknown_reference", message, task_id }] });
  }
  for (const inner of tasks) {
    if (inner.choose !== undefined) checkChoice(inner);
    if (inner.for_each?.tasks !== undefined) checkInner(inner, depth + 1);
  }
}

/** @throws RuntimeError INVALID_PLAN for an output of a task that the plan does not have */
function checkOutputs(outputs: Readonly<Record<string, string>>, view: PlanView): void {
  for (const [name, id] of Object.entries(outputs)) {
    if (view.indexOf(id) !== -1) continue;
    const message = `Expected \`outputs.${name}\` to be the id of a task of the plan, got "${id}".`;
    throw invalidPlan(message, { issues: [{ code: "unknown_reference", message, argument_path: `outputs.${name}` }] });
  }
}

function checkChoice(task: PlannerTask): void {
  const fault = choiceFault(task);
  if (fault === undefined) return;
  const { message, field } = fault;
  throw invalidPlan(message, { issues: [{ code: "schema", message, task_id: task.task_id, argument_path: field }] });
}

/** Values by name: outputs of completed tasks by id and result variable, plan variables, `input`. */
export function makeLookup(
  { plan, view }: RunnablePlan,
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

/** The plan without fields that nothing reads. @throws RuntimeError INVALID_PLAN for those that may not be left out */
function knownFields(given: TaskDataInput, stored: boolean): TaskDataInput {
  if (!isRecord(given) || !Array.isArray(given.planned_tasks) || hasOnlyKnownFields(given)) return given;
  const unread = unreadFields(given, given.planned_tasks);
  refuse(unread.map((field) => unreadIssue(field, stored ? "warning" : "error")));
  return withKnownFields(given);
}

function refuse(issues: readonly PlanIssue[]): void {
  const errors = issues.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (first === undefined) return;
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
  throw invalidPlan(`The plan cannot run: ${first.message}${more}`, { issues: errors });
}

/** `input` is what references call the run's input, and no copy of an object keeps the key `__proto__`. */
function checkNamesOfTasks(plan: TaskDataInput): void {
  const planned_tasks: unknown = isRecord(plan) ? plan.planned_tasks : undefined;
  if (!Array.isArray(planned_tasks)) return;
  refuse(prototypeKeys(plan));
  for (const task of planned_tasks) {
    if (!isRecord(task)) continue;
    if (task.task_id === "input") {
      const message = 'A task has the id "input", which in references means the input of the run. Rename the task.';
      throw invalidPlan(message, { issues: [{ code: "name_collision", message, task_id: "input" }] });
    }
  }
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

function checkNames(plan: Pick<TaskData, "planned_tasks" | "variables">): void {
  const [collision] = nameCollisions(plan);
  if (collision === undefined) return;
  const holders = collision.holders.map(({ kind, task_id }) =>
    task_id === undefined ? kind : `${kind} of "${task_id}"`,
  );
  const message = `The name "${collision.name}" means ${holders.join(" and ")}; references to it would be ambiguous. Rename one.`;
  throw invalidPlan(message, { issues: [{ code: "name_collision", message }] });
}

function invalidPlan(message: string, details: Readonly<Record<string, unknown>>, cause?: unknown): RuntimeError {
  return new RuntimeError(RuntimeErrorCode.INVALID_PLAN, message, { details, cause });
}
