import { PlanError, PlanErrorCode } from "../errors.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";
import { scanReferences } from "../references/collect-references.ts";
import { taskDependencies } from "../references/effective-dependencies.ts";
import { formatReference } from "../references/format-reference.ts";
import type { Reference } from "../references/reference.ts";
import { collectSecrets } from "../references/secret-object.ts";
import { taskNames } from "../references/task-names.ts";
import { resourcePin } from "../resource-pin.ts";
import { dialectError } from "./dialect-error.ts";

/** A task on its way into a format that numbers its steps. */
export interface NumberedStep {
  readonly task: PlannerTask;
  /** Numbers of the steps it depends on, ascending. */
  readonly dependencies: readonly number[];
  /** Of those, the ones that no reference implies. */
  readonly onlyDeclared: readonly number[];
}

/** What decides whether, when and how often a task is executed, and what counts as its output: formats of numbered steps have a place for none of it. */
const flow = [
  "when",
  "choose",
  "join",
  "for_each",
  "wait",
  "retry_until",
  "retry",
  "timeout_ms",
  "on_failure",
] as const satisfies readonly (keyof PlannerTask)[];

/** @throws PlanError DIALECT where a plan gives its outputs names, which a format would lose. */
export function refuseOutputNames(dialect: string, { outputs = {} }: TaskData): void {
  const names = Object.keys(outputs);
  if (names.length === 0) return;
  const message = `Expected a plan that ${dialect} can carry, but it has \`outputs\` (${names.slice(0, 5).join(", ")}${names.length > 5 ? ", …" : ""}), names of what it gives, which that format cannot say. Keep the plan as TaskData.`;
  throw dialectError(dialect, message, { details: { field: "outputs" } });
}

/**
 * Sorts the tasks so that each comes after those it depends on; tasks that already do keep their order.
 * @throws PlanError CYCLE, UNKNOWN_DEPENDENCY, DUPLICATE_TASK; DIALECT for control flow and for names of outputs.
 */
export function numberSteps(
  dialect: string,
  plan: TaskData,
): { steps: NumberedStep[]; numberOf: ReadonlyMap<string, number> } {
  refuseOutputNames(dialect, plan);
  for (const task of plan.planned_tasks) {
    const field = flow.find((each) => task[each] !== undefined);
    if (field !== undefined) throw cannotSay(dialect, task, field);
  }
  const names = taskNames(plan);
  const tasks = new Map(plan.planned_tasks.map((task) => [task.task_id, task]));
  if (tasks.size < plan.planned_tasks.length) throw duplicateTask(plan);
  const dependencies = new Map(plan.planned_tasks.map((task) => [task.task_id, taskDependencies(task, names)]));
  const order = inDependencyOrder(
    plan.planned_tasks.map((task) => task.task_id),
    (id) => dependencies.get(id) ?? [],
  );
  const numberOf = new Map(order.map((id, number) => [id, number]));
  // A result variable names its task too, in the order of `taskNames`.
  for (const [name, id] of names) numberOf.set(name, numberOf.get(id) as number);
  const numbers = (ids: readonly string[]) => ids.map((id) => numberOf.get(id) as number).sort((a, b) => a - b);
  const steps = order.map((id): NumberedStep => {
    const task = tasks.get(id) as PlannerTask;
    const implied = new Set(taskDependencies({ ...task, dependencies: [] }, names));
    return {
      task,
      dependencies: numbers(dependencies.get(id) as string[]),
      onlyDeclared: numbers(task.dependencies.filter((it) => !implied.has(it))),
    };
  });
  return { steps, numberOf };
}

/**
 * Sorts the ids so that each comes after its dependencies. The search is depth first from each in turn, so an order that is right is kept.
 * @throws PlanError CYCLE, UNKNOWN_DEPENDENCY
 */
export function inDependencyOrder(ids: readonly string[], dependenciesOf: (id: string) => readonly string[]): string[] {
  const known = new Set(ids);
  const done = new Set<string>();
  const open = new Map<string, Iterator<string>>();
  const order: string[] = [];
  for (const root of ids) {
    let current: string | undefined = done.has(root) ? undefined : root;
    const path: string[] = [];
    while (current !== undefined) {
      let rest = open.get(current);
      if (rest === undefined) {
        rest = dependenciesOf(current)[Symbol.iterator]();
        open.set(current, rest);
        path.push(current);
      }
      const next = rest.next();
      if (next.done) {
        done.add(current);
        order.push(current);
        path.pop();
        current = path.at(-1);
      } else if (!known.has(next.value)) {
        throw unknownDependency(current, next.value);
      } else if (!done.has(next.value)) {
        if (open.has(next.value)) throw cycle([...path.slice(path.indexOf(next.value)), next.value]);
        current = next.value;
      }
    }
  }
  return order;
}

/** What a tool-only format needs of a task: its tool, and nothing that the format would silently lose. */
export function toolOf(dialect: string, task: PlannerTask): string {
  const { kind, uid } = resourcePin(task);
  if (kind !== "tool" || uid === undefined) {
    const got = `a task of kind ${kind ?? "undecided"}${uid === undefined ? " that names no resource" : ""}`;
    throw dialectError(dialect, `Expected every task to name a tool, got ${got} (${task.task_id}). Pin a tool first.`, {
      details: { task_id: task.task_id },
    });
  }
  const lost = [
    task.convertor_code !== null && "convertor_code",
    task.approval !== undefined && "approval",
    collectSecrets(task.arguments).length > 0 && "a $secret in arguments",
    Object.keys(task.parameters).some((key) => key !== "sub_type") && "parameters",
  ].find((field) => field !== false);
  if (lost !== undefined) throw cannotSay(dialect, task, lost);
  return uid;
}

function cannotSay(dialect: string, { task_id }: PlannerTask, field: string): PlanError {
  const message = `Expected a task that ${dialect} can carry, but ${task_id} has \`${field}\`, which that format cannot say. Keep the plan as TaskData.`;
  return dialectError(dialect, message, { details: { task_id } });
}

/** @throws PlanError DIALECT if a text of the task holds a malformed reference; then its meaning is open. */
export function assertReadableReferences(dialect: string, task: PlannerTask): void {
  const [malformed] = scanReferences(task.arguments).malformed;
  if (malformed === undefined) return;
  throw dialectError(
    dialect,
    `Expected readable references in ${task.task_id}.${malformed.argument_path}. ${malformed.message}`,
    {
      details: { task_id: task.task_id },
    },
  );
}

export function cannotCarry(dialect: string, task: PlannerTask, reference: Reference, why: string): PlanError {
  const text = formatReference(reference);
  return dialectError(dialect, `${dialect} cannot say ${text} in ${task.task_id}: ${why}. Keep the plan as TaskData.`, {
    details: { task_id: task.task_id, reference: text },
  });
}

function duplicateTask(plan: TaskData): PlanError {
  const seen = new Set<string>();
  const twice = plan.planned_tasks.find(({ task_id }) => seen.size === seen.add(task_id).size)?.task_id;
  return new PlanError(PlanErrorCode.DUPLICATE_TASK, `Expected every task to have its own id, got ${twice} twice.`, {
    details: { task_id: twice },
  });
}

function unknownDependency(task_id: string, dependency: string): PlanError {
  return new PlanError(
    PlanErrorCode.UNKNOWN_DEPENDENCY,
    `Expected ${task_id} to depend on tasks of the plan, got ${JSON.stringify(dependency)}, which is not one.`,
    { details: { task_id, dependency } },
  );
}

function cycle(path: readonly string[]): PlanError {
  return new PlanError(PlanErrorCode.CYCLE, `Tasks form a cycle: ${path.join(" -> ")}.`, { details: { path } });
}
