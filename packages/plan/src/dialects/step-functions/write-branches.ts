import type { PlannerTask } from "../../records/planner-task.ts";
import { collectReferences } from "../../references/collect-references.ts";
import { effectiveDependencies } from "../../references/effective-dependencies.ts";
import { parseTemplate } from "../../references/parse-template.ts";
import { branchNames as namesOf } from "../../validation/flow-types.ts";
import { refusal } from "./refusal.ts";

/** Tasks of a branch, or of the plan itself: what is in branches of their decisions is apart from them. */
export interface BranchTasks {
  readonly tasks: PlannerTask[];
  /** Of each of these tasks those of the same list that come before it, or before what is in its branches. */
  readonly dependencies: Map<string, string[]>;
  /** The branches of decisions among them: by the id of the decision, by the name of the branch. Names that lead to the same tasks have the same object. */
  readonly within: ReadonlyMap<string, ReadonlyMap<string, BranchTasks>>;
}

interface Group extends BranchTasks {
  readonly within: Map<string, Map<string, Group>>;
  /** The decision that it is a branch of. */
  readonly decision: string | undefined;
  readonly around: Group | undefined;
  readonly depth: number;
}

/**
 * Sorts tasks into the branches of decisions: a task is in a branch if its `when` asks for the branch, or if it needs a task that is. With a `join` it comes after the
 * branches. O(tasks · depth + dependencies)
 * @throws PlanError DIALECT for conditions that ask for anything else, and tasks of two branches
 */
export function branchesOf(tasks: readonly PlannerTask[]): BranchTasks {
  const dependencies = new Map(effectiveDependencies(tasks).map((ids, place) => [tasks[place]!.task_id, ids]));
  const byId = new Map(tasks.map((task) => [task.task_id, task]));
  const root: Group = {
    tasks: [],
    dependencies: new Map(),
    within: new Map(),
    decision: undefined,
    around: undefined,
    depth: 0,
  };
  const groupOf = new Map<string, Group>();
  const place = (id: string): Group => {
    const known = groupOf.get(id);
    if (known !== undefined) return known;
    const task = byId.get(id)!;
    // A cycle is found when levels are made.
    groupOf.set(id, root);
    const group =
      gatedBy(task, byId, place) ??
      (task.join === undefined || task.join === "all" ? deepest(task, dependencies.get(id)!.map(place)) : undefined) ??
      root;
    groupOf.set(id, group);
    return group;
  };
  for (const { task_id } of tasks) place(task_id);
  for (const task of tasks) {
    const own = groupOf.get(task.task_id)!;
    own.tasks.push(task);
    if (!own.dependencies.has(task.task_id)) own.dependencies.set(task.task_id, []);
  }
  for (const { task_id } of tasks) {
    for (const before of dependencies.get(task_id)!) {
      // Both as what they are, or are in, in the innermost list that has both.
      const [left, right] = lifted([before, groupOf.get(before)!], [task_id, groupOf.get(task_id)!]);
      if (left[0] === right[0]) continue;
      const list = left[1].dependencies.get(right[0]) ?? [];
      if (!list.includes(left[0])) list.push(left[0]);
      left[1].dependencies.set(right[0], list);
    }
  }
  for (const task of tasks) if (task.join === "any") checkJoin(task, dependencies.get(task.task_id)!, groupOf, byId);
  return root;
}

/**
 * After branches a state machine continues whichever was taken; a task with `join: "any"` only if one of those that it needs was done.
 * @throws PlanError DIALECT where a branch can be taken that does none of them
 */
function checkJoin(
  { task_id }: PlannerTask,
  before: readonly string[],
  groupOf: ReadonlyMap<string, Group>,
  byId: ReadonlyMap<string, PlannerTask>,
): void {
  const own = groupOf.get(task_id)!;
  const reached = new Map<string, Set<Group>>();
  for (const id of before) {
    let group = groupOf.get(id)!;
    if (group.depth <= own.depth) return;
    while (group.depth > own.depth + 1) group = group.around!;
    reached.set(group.decision!, (reached.get(group.decision!) ?? new Set()).add(group));
  }
  for (const [decision, groups] of reached) {
    const names = namesOf(byId.get(decision)!.choose!);
    const isSure = (name: string) => {
      const group = own.within.get(decision)?.get(name);
      return group !== undefined && (groups.has(group) || group.tasks.some(raisesError));
    };
    if (names.every(isSure)) return;
  }
  throw refusal(
    task_id,
    "join",
    'is "any" where a branch can be taken that it does not come after. Let it depend on the decision, or on a task of each branch.',
  );
}

/** The text that a decision fails with whose only condition raises an error; what a Fail state becomes. */
export function errorOf({ choose }: PlannerTask): string | undefined {
  const [only, second] = choose?.branches ?? [];
  if (only?.condition === undefined || second !== undefined || choose?.else !== undefined) return undefined;
  const text = /^\$error\(("(?:[^"\\]|\\.)*")\)$/.exec(only.condition)?.[1];
  return text === undefined ? undefined : (JSON.parse(text) as string);
}

function raisesError(task: PlannerTask): boolean {
  return errorOf(task) !== undefined;
}

type Placed = readonly [id: string, group: Group];

function lifted(left: Placed, right: Placed): [Placed, Placed] {
  const up = ([, { decision, around }]: Placed): Placed => [decision!, around!];
  let [a, b] = [left, right];
  while (a[1] !== b[1]) {
    if (a[1].depth >= b[1].depth) a = up(a);
    else b = up(b);
  }
  return [a, b];
}

/** The branch that the task's own condition asks for. */
function gatedBy(
  { task_id, when }: PlannerTask,
  byId: ReadonlyMap<string, PlannerTask>,
  place: (id: string) => Group,
): Group | undefined {
  if (when === undefined) return undefined;
  const references = collectReferences(when.condition).map(({ reference }) => reference);
  const decision = references[0]?.name ?? "";
  const names = references.map(({ path: [first, more] }) =>
    first !== undefined && "key" in first && more === undefined ? first.key : "",
  );
  const { parts } = parseTemplate(when.condition);
  const isGate = parts.every((part) => typeof part !== "string" || /^(?: = true)?(?: or )?$/.test(part));
  if (
    byId.get(decision)?.choose === undefined ||
    names.includes("") ||
    !isGate ||
    references.some(({ name }) => name !== decision)
  )
    throw refusal(
      task_id,
      "when",
      "cannot be written as a state machine: only a condition that asks for branches of one decision can.",
    );
  const around = place(decision);
  if (isAfterAll(byId.get(decision)!, names, byId, place)) return around;
  const branches = around.within.get(decision) ?? new Map<string, Group>();
  around.within.set(decision, branches);
  const known = names.map((name) => branches.get(name));
  const group = known[0] ?? {
    tasks: [],
    dependencies: new Map(),
    within: new Map(),
    decision,
    around,
    depth: around.depth + 1,
  };
  const others = [...branches].filter(([, each]) => each === group).map(([name]) => name);
  if (known.some((each) => each !== known[0]) || (known[0] !== undefined && others.length !== new Set(names).size))
    throw refusal(
      task_id,
      "when",
      "shares a branch with other tasks, and not all of its branches, which a state machine cannot say.",
    );
  for (const name of names) branches.set(name, group);
  return group;
}

/** True where the names are all branches of the decision that do not fail: such a task comes after the decision, as whatever follows it in a state machine does. */
function isAfterAll(
  { task_id, choose }: PlannerTask,
  names: readonly string[],
  byId: ReadonlyMap<string, PlannerTask>,
  place: (id: string) => Group,
): boolean {
  const others = namesOf(choose!).filter((name) => !names.includes(name));
  if (others.length === 0) return false;
  const failing = new Set<Group>();
  for (const task of byId.values()) if (raisesError(task)) failing.add(place(task.task_id));
  /** Whether every way through the tasks of a branch ends in an error; one that is in a branch of a further decision need not be come to. */
  const alwaysFails = (group: Group | undefined): boolean =>
    group !== undefined &&
    (failing.has(group) ||
      [...group.within].some(([id, within]) =>
        namesOf(byId.get(id)!.choose!).every((name) => alwaysFails(within.get(name))),
      ));
  const own = place(task_id).within.get(task_id);
  return others.every((name) => alwaysFails(own?.get(name)));
}

/** The innermost of branches that are in one another. */
function deepest({ task_id }: PlannerTask, groups: readonly Group[]): Group | undefined {
  const [first, ...rest] = [...groups].sort((left, right) => right.depth - left.depth);
  for (const other of rest) {
    let around: Group | undefined = first;
    while (around !== undefined && around !== other) around = around.around;
    if (around === undefined)
      throw refusal(task_id, "dependencies", "needs tasks of two branches without a `join`, so that it can never run.");
  }
  return first;
}
