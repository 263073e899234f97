import { taskLineage } from "../patch/revision.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";
import { effectiveDependencies } from "../references/effective-dependencies.ts";
import { taskNames } from "../references/task-names.ts";
import { type FieldChange, fieldChanges } from "./field-changes.ts";
import { type PlanTotals, planTotals } from "./plan-totals.ts";

/** A task that is in one of the plans only. */
export interface DiffTask {
  readonly task_id: string;
  readonly description: string;
  /** The task first planned in its place, where it was replanned. */
  readonly lineage?: string;
}

/** A task that is in both plans and differs. `was` is its id in the first plan, where it had another. */
export interface ChangedTask {
  readonly task_id: string;
  readonly was?: string;
  readonly changes: readonly FieldChange[];
}

export interface RewiredTask {
  readonly task_id: string;
  readonly was?: string;
  /** Ids in the second plan that it waits for now and did not before. */
  readonly waits_for: readonly string[];
  /** Ids in the first plan that it no longer waits for. */
  readonly no_longer: readonly string[];
}

/** An output of the plan (`outputs`) that another task gives. */
export interface ChangedOutput {
  readonly name: string;
  /** Id in the first plan of the task that gave it; absent where it is new. */
  readonly was?: string;
  /** Id in the second plan of the task that gives it; absent where it is gone. */
  readonly is?: string;
}

/** What differs between two plans. Plain JSON. */
export interface PlanDiff {
  readonly plans: readonly [string, string];
  /** No task differs. Ids, status, outputs and times are not asked. */
  readonly equal: boolean;
  readonly added: readonly DiffTask[];
  readonly removed: readonly DiffTask[];
  /** The same work under another id, to be done again. */
  readonly renewed: readonly { readonly task_id: string; readonly was: string }[];
  readonly changed: readonly ChangedTask[];
  readonly rewired: readonly RewiredTask[];
  /** Absent where the plans give the same. */
  readonly outputs?: readonly ChangedOutput[];
  readonly before: PlanTotals;
  readonly after: PlanTotals;
}

/**
 * What differs between two plans or two revisions of one. A task is the same one where its id is, else where it is the only
 * one of its lineage (`main_task_id`) on both sides. Lists are in plan order. Linear in both plans.
 * @throws PlanError as `planView`: INVALID, DUPLICATE_TASK, UNKNOWN_DEPENDENCY, CYCLE.
 */
export function diffPlans(first: TaskData, second: TaskData): PlanDiff {
  const before = planTotals(first);
  const after = planTotals(second);
  const counterpart = matchTasks(first, second);
  const matched = new Set(counterpart.values());
  const keys = {
    before: nameKeys(first, (id) => counterpart.get(id)),
    after: nameKeys(second, (id) => (matched.has(id) ? id : undefined)),
  };
  const secondTasks = new Map(second.planned_tasks.map((task, index) => [task.task_id, { task, index }]));
  const needsBefore = effectiveDependencies(first);
  const needsAfter = effectiveDependencies(second);
  const changed: ChangedTask[] = [];
  const rewired: RewiredTask[] = [];
  const renewed: { task_id: string; was: string }[] = [];
  first.planned_tasks.forEach((task, index) => {
    const id = counterpart.get(task.task_id);
    const other = id === undefined ? undefined : secondTasks.get(id);
    if (other === undefined) return;
    const about = { task_id: other.task.task_id, ...(id !== task.task_id && { was: task.task_id }) };
    const changes = fieldChanges(task, other.task, keys);
    if (changes.length > 0) changed.push({ ...about, changes });
    const were = new Set(needsBefore[index]!.map((source) => counterpart.get(source) ?? source));
    const are = new Set(needsAfter[other.index]!);
    const waits_for = [...are].filter((source) => !were.has(source));
    const no_longer = needsBefore[index]!.filter((source) => !are.has(counterpart.get(source) ?? source));
    if (waits_for.length + no_longer.length > 0) rewired.push({ ...about, waits_for, no_longer });
    else if (changes.length === 0 && id !== undefined && id !== task.task_id)
      renewed.push({ task_id: id, was: task.task_id });
  });
  const describe = (task: PlannerTask, plan: TaskData): DiffTask => {
    const lineage = taskLineage(task, plan);
    return {
      task_id: task.task_id,
      description: task.title ?? task.description,
      ...(lineage !== task.task_id && { lineage }),
    };
  };
  const outputs = changedOutputs(first, second, counterpart);
  const added = second.planned_tasks.filter(({ task_id }) => !matched.has(task_id));
  const removed = first.planned_tasks.filter(({ task_id }) => !counterpart.has(task_id));
  return {
    plans: [first.task_id, second.task_id],
    equal: added.length + removed.length + changed.length + rewired.length + renewed.length === 0,
    added: added.map((task) => describe(task, second)),
    removed: removed.map((task) => describe(task, first)),
    renewed,
    changed,
    rewired,
    ...(outputs.length > 0 && { outputs }),
    before,
    after,
  };
}

/** In the order of the first plan, then new ones. A task that is in both plans is the same one under another id. */
function changedOutputs(
  { outputs: first = {} }: TaskData,
  { outputs: second = {} }: TaskData,
  counterpart: ReadonlyMap<string, string>,
): ChangedOutput[] {
  const own = (outputs: Readonly<Record<string, string>>, name: string) =>
    Object.hasOwn(outputs, name) ? outputs[name] : undefined;
  return [...new Set([...Object.keys(first), ...Object.keys(second)])].flatMap((name) => {
    const [was, is] = [own(first, name), own(second, name)];
    if (was !== undefined && (counterpart.get(was) ?? was) === is) return [];
    return [{ name, ...(was !== undefined && { was }), ...(is !== undefined && { is }) }];
  });
}

/** A task that is in both plans is known by its id in the second; any other by what was first planned in its place. */
function nameKeys(plan: TaskData, counterpart: (id: string) => string | undefined): (name: string) => string {
  const names = taskNames(plan);
  const lineages = new Map(plan.planned_tasks.map((task) => [task.task_id, taskLineage(task, plan)]));
  return (name) => {
    const id = names.get(name);
    return id === undefined ? name : (counterpart(id) ?? `in place of ${lineages.get(id)}`);
  };
}

/** Id in the first plan -> id in the second. */
function matchTasks(first: TaskData, second: TaskData): Map<string, string> {
  const ids = new Set(second.planned_tasks.map(({ task_id }) => task_id));
  const counterpart = new Map<string, string>();
  for (const { task_id } of first.planned_tasks) if (ids.has(task_id)) counterpart.set(task_id, task_id);
  const left = byLineage(first, (id) => !counterpart.has(id));
  const right = byLineage(second, (id) => !counterpart.has(id));
  for (const [lineage, one] of left) {
    const other = right.get(lineage);
    if (one.length === 1 && other?.length === 1) counterpart.set(one[0]!, other[0]!);
  }
  return counterpart;
}

function byLineage(plan: TaskData, isOpen: (id: string) => boolean): Map<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const task of plan.planned_tasks) {
    if (!isOpen(task.task_id)) continue;
    const lineage = taskLineage(task, plan);
    const group = groups.get(lineage);
    if (group === undefined) groups.set(lineage, [task.task_id]);
    else group.push(task.task_id);
  }
  return groups;
}
