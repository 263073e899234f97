import { PlanError } from "../errors.ts";
import { planView } from "../graph/plan-view.ts";
import type { ForEach, PlannerTask } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";
import type { RetryUntil, Wait } from "../records/waiting.ts";
import { formatTemplate, referenceText } from "../references/format-reference.ts";
import { escapeReferences } from "../references/map-references.ts";
import { parseReference } from "../references/parse-reference.ts";
import { parseTemplate } from "../references/parse-template.ts";
import type { Reference } from "../references/reference.ts";
import { referenceObjectText } from "../references/reference-object.ts";
import { taskNames, tasksOfPlan } from "../references/task-names.ts";
import { canonicalJson } from "./canonical-json.ts";
import { hashText, hashValue } from "./hash-value.ts";

export interface TaskHashes {
  /** What the task does: see `definitionHash`. */
  readonly definition_hash: string;
  /** The definition with the content of everything it depends on; equal contents compute the same. */
  readonly content_hash: string;
}

/**
 * SHA-256 of what a task does: description, execution type, pins, parameters, arguments, instructions and
 * convertor code. Ids, status, output, estimates, times and run policy do not count. References to tasks count by
 * position: the first task that is referred to is number 0, the next other one 1, and so on; so renaming tasks, or
 * replacing one of them, changes no definition that merely refers to them.
 * @param plan gives the names; O(tasks). For several tasks use `definitionHashes`, for all `planHashes`.
 */
export function definitionHash(task: PlannerTask, plan: TaskData | readonly PlannerTask[]): string {
  return definitionHashes([task], plan)[0]!;
}

/** `definitionHash` of several tasks, in their order; the plan is read once. */
export function definitionHashes(tasks: readonly PlannerTask[], plan: TaskData | readonly PlannerTask[]): string[] {
  const names = taskNames(plan);
  return tasks.map((task) => defineTask(task, (name) => names.get(name)).hash);
}

/**
 * Both hashes of every task, in plan order, in O(plan). The content hash covers the definition, the content of the
 * tasks referred to (by position) and of those only declared as dependencies (in any order), and the values of the
 * plan variables referred to.
 * @throws PlanError as `planView`: INVALID, DUPLICATE_TASK, UNKNOWN_DEPENDENCY, CYCLE.
 */
export function planHashes(plan: TaskData): Map<string, TaskHashes> {
  const tasks = tasksOfPlan(plan);
  const view = planView(plan);
  const names = taskNames(plan);
  const variables = plan.variables ?? {};
  const definitions = tasks.map((task) => defineTask(task, (name) => names.get(name)));
  const contents = new Array<string>(view.n);
  for (const task of view.topo) {
    const { hash, referred, otherNames } = definitions[task]!;
    const referredTasks = new Set(referred);
    const declared = tasks[task]!.dependencies.filter((id) => !referredTasks.has(id));
    contents[task] = hashValue({
      definition: hash,
      references: referred.map((id) => contents[view.indexOf(id)]),
      dependencies: [...new Set(declared)].map((id) => contents[view.indexOf(id)]).sort(),
      variables: otherNames
        .filter((name) => Object.hasOwn(variables, name))
        .map((name) => [name, hashValue(variables[name])]),
    });
  }
  return new Map(
    view.ids.map((id, task) => [id, { definition_hash: definitions[task]!.hash, content_hash: contents[task]! }]),
  );
}

/** What of a definition holds no references: a description with `${` in it is plain text. */
export const plainlyDefined = [
  "description",
  "execution_type",
  "tool_id",
  "function_id",
  "agent_id",
  "instructions",
  "convertor_code",
] as const satisfies readonly (keyof PlannerTask)[];

/** Id of the task that a name refers to. */
type TaskOf = (name: string) => string | undefined;

interface Definition {
  readonly hash: string;
  /** Ids of the tasks referred to, by position. */
  readonly referred: readonly string[];
  /** Names referred to that are not tasks, in order of first mention. */
  readonly otherNames: readonly string[];
}

/** The definition of one task; `taskOf` returns the id of the task that a name refers to. */
function defineTask(task: PlannerTask, taskOf: TaskOf): Definition {
  const fixed = Object.fromEntries(plainlyDefined.map((field) => [field, task[field]]));
  const { text, referred, otherNames } = definedValues(task, taskOf);
  return { hash: hashText(`${canonicalJson(fixed)}${text}`), referred, otherNames };
}

/** Arguments and parameters as they count in a definition: canonical JSON with references to tasks by position. */
export function definedValues(
  task: Pick<PlannerTask, "arguments" | "parameters"> &
    Partial<Pick<PlannerTask, "for_each" | "when" | "choose" | "join" | "wait" | "retry_until">>,
  taskOf: TaskOf,
): Omit<Definition, "hash"> & { readonly text: string } {
  const positions = new Map<string, number>();
  const otherNames = new Set<string>();
  const byPosition = (reference: Reference): Reference => {
    const id = taskOf(reference.name);
    if (id === undefined) {
      otherNames.add(reference.name);
      return reference;
    }
    let position = positions.get(id);
    if (position === undefined) {
      position = positions.size;
      positions.set(id, position);
    }
    return { ...reference, name: `\0${position}` };
  };
  const { for_each, when, choose, join, wait, retry_until } = task;
  const values = {
    arguments: task.arguments,
    parameters: task.parameters,
    ...(for_each !== undefined && { for_each: definedForEach(for_each) }),
    ...(when !== undefined && { when }),
    ...(choose !== undefined && { choose: definedChoose(choose) }),
    ...(join !== undefined && join !== "all" && { join }),
    ...(wait !== undefined && { wait: definedWait(wait) }),
    ...(retry_until !== undefined && { retry_until: definedPoll(retry_until) }),
  };
  const text = canonicalJson(values, (value) => rewritten(value, byPosition));
  return { text, referred: [...positions.keys()], otherNames: [...otherNames] };
}

/** What of a `for_each` decides the result; how many elements are under way at once, how many there may be, and what was done before, does not. */
function definedForEach(given: ForEach): Record<string, unknown> {
  const { concurrency: _, max_items: __, continues: ___, tasks, ...rest } = given;
  if (tasks === undefined) return rest;
  return { ...rest, tasks: tasks.map(definedInner) };
}

/** What of a wait decides the result; its schema is data, in which nothing is a reference. */
function definedWait({ schema, ...rest }: Wait): Record<string, unknown> {
  return { ...rest, ...(schema !== undefined && { schema: hashValue(schema) }) };
}

/** What of a `retry_until` decides the result; how often and for how long it is tried does not. */
function definedPoll({ condition, on_deadline }: RetryUntil): Record<string, unknown> {
  return { condition, ...(on_deadline !== undefined && { on_deadline }) };
}

/** A task inside of an element; the ids of such tasks are names in the definition around them. */
function definedInner(task: PlannerTask): Record<string, unknown> {
  const { task_id, result_variable, dependencies, arguments: values, parameters, for_each, when, choose, join } = task;
  const { wait, retry_until } = task;
  return {
    ...Object.fromEntries(plainlyDefined.map((field) => [field, escaped(task[field])])),
    task_id,
    result_variable: result_variable ?? null,
    dependencies,
    arguments: values,
    parameters,
    ...(for_each !== undefined && { for_each: definedForEach(for_each) }),
    ...(when !== undefined && { when }),
    ...(choose !== undefined && { choose: definedChoose(choose) }),
    ...(join !== undefined && { join }),
    ...(wait !== undefined && { wait: definedWait(wait) }),
    ...(retry_until !== undefined && { retry_until: definedPoll(retry_until) }),
  };
}

/** Descriptions of branches are plain text: a model that decides reads them. */
function definedChoose({ branches, ...rest }: NonNullable<PlannerTask["choose"]>): Record<string, unknown> {
  const described = branches.map(({ description, ...branch }) =>
    description === undefined ? branch : { ...branch, description: escaped(description) },
  );
  return { ...rest, branches: described };
}

/** Of an inner task these are plain text too. */
function escaped(value: string | null): string | null {
  return value === null ? null : (escapeReferences(value) as string);
}

/** Rewrites the references of a text or reference object; everything else, and what is malformed, is kept. */
function rewritten(value: string | object, rewrite: (reference: Reference) => Reference): unknown {
  try {
    if (typeof value === "string") {
      if (!value.includes("${")) return value;
      const { parts } = parseTemplate(value);
      return formatTemplate({ parts: parts.map((part) => (typeof part === "string" ? part : rewrite(part))) });
    }
    const text = referenceObjectText(value);
    return text === undefined ? value : { $ref: referenceText(rewrite(parseReference(text))) };
  } catch (error) {
    if (error instanceof PlanError) return value;
    throw error;
  }
}
