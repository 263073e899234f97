import type { PlannerTask } from "../records/planner-task.ts";
import { flowValues, hasFlowValues } from "../references/flow-values.ts";
import { type PatchBase, reach } from "./patch-base.ts";
import type { PlanPatch, TaskReplacement } from "./plan-patch.ts";
import { visitReferredNames } from "./referred-names.ts";

/** More ids than this are not written when dropped tasks hand on what they came after. */
const maxHandedOn = 1_000_000;

/** A patch seen against its plan. Old tasks are numbers, tasks of the new plan ids. */
export interface PatchFacts {
  readonly base: PatchBase;
  readonly patch: PlanPatch;
  /** The tasks that go. */
  readonly removed: ReadonlyMap<number, TaskReplacement>;
  /** New id of each renewed task. */
  readonly renewed: ReadonlyMap<number, string>;
  readonly added: ReadonlyMap<string, PlannerTask>;
  /** Ids in the new plan that a new task comes after, declared or by reference; unknown names are left out. */
  readonly dependencies: ReadonlyMap<string, ReadonlySet<string>>;
  /** Tasks outside the region that come after it. */
  readonly downstream: Uint8Array;
  /** Tasks outside the region that it comes after. */
  readonly upstream: Uint8Array;
  /** The first of the new tasks that replace a task: those that wait for none of the others. */
  entries(replacement: TaskReplacement): readonly string[];
  /** The tasks to wait for instead of an old task. */
  after(task: number): readonly string[];
  /** Id in the new plan of the task that a name refers to there. */
  resolve(name: string): string | undefined;
  /** Handing on the dependencies of dropped tasks would take too many edges. */
  readonly tooMany: boolean;
}

/** Never throws for a base and a patch that were read. Linear in both and in the edges of the new plan. */
export function gatherPatchFacts(base: PatchBase, patch: PlanPatch): PatchFacts {
  const removed = new Map<number, TaskReplacement>();
  for (const replacement of patch.replacements) {
    const task = base.index.get(replacement.task_id);
    if (task !== undefined && !removed.has(task)) removed.set(task, replacement);
  }
  const renewed = new Map<number, string>();
  const renewedIds = new Set<string>();
  for (const { task_id, new_task_id } of patch.renewed) {
    const task = base.index.get(task_id);
    if (task === undefined || removed.has(task) || renewed.has(task)) continue;
    renewed.set(task, new_task_id);
    renewedIds.add(new_task_id);
  }
  const added = new Map<string, PlannerTask>();
  const addedNames = new Map<string, string>();
  for (const task of patch.tasks) if (!added.has(task.task_id)) added.set(task.task_id, task);
  for (const { task_id, result_variable } of added.values()) {
    if (result_variable !== undefined && !added.has(result_variable)) addedNames.set(result_variable, task_id);
  }
  const resolve = (name: string): string | undefined => {
    if (added.has(name) || renewedIds.has(name)) return name;
    const own = addedNames.get(name);
    if (own !== undefined) return own;
    const task = base.names.get(name);
    if (task === undefined || removed.has(task)) return undefined;
    const id = base.tasks[task]!.task_id;
    const fresh = renewed.get(task);
    return fresh === undefined ? id : name === id ? undefined : fresh;
  };
  const dependencies = new Map<string, Set<string>>();
  for (const task of added.values()) {
    const ids = new Set<string>();
    const visit = (name: string): void => {
      const id = resolve(name);
      if (id !== undefined) ids.add(id);
    };
    for (const id of task.dependencies) visit(id);
    visitReferredNames(task.parameters, visit);
    visitReferredNames(task.arguments, visit);
    if (hasFlowValues(task)) visitReferredNames(flowValues(task), visit);
    dependencies.set(task.task_id, ids);
  }
  const region = [...removed.keys()];
  const downstream = reach(base.all.outPtr, base.all.out, region);
  const upstream = reach(base.all.inPtr, base.all.in, region);
  for (const task of region) {
    downstream[task] = 0;
    upstream[task] = 0;
  }
  const { after, tooMany } = handOn(base, removed, renewed, added, dependencies);
  return {
    base,
    patch,
    removed,
    renewed,
    added,
    dependencies,
    downstream,
    upstream,
    entries: ({ replaced_by }) => {
      const members = new Set(replaced_by);
      return replaced_by.filter((id) => !someOf(dependencies.get(id), (other) => other !== id && members.has(other)));
    },
    after: (task) => after.get(task) ?? [renewed.get(task) ?? base.tasks[task]!.task_id],
    resolve,
    tooMany,
  };
}

/** For each removed task the ids to wait for instead: the last of its new tasks; if there are none, what it waited for. */
function handOn(
  base: PatchBase,
  removed: ReadonlyMap<number, TaskReplacement>,
  renewed: ReadonlyMap<number, string>,
  added: ReadonlyMap<string, PlannerTask>,
  dependencies: ReadonlyMap<string, ReadonlySet<string>>,
): { after: ReadonlyMap<number, readonly string[]>; tooMany: boolean } {
  const after = new Map<number, readonly string[]>();
  let written = 0;
  const { topo, ordered } = base.order;
  for (let place = 0; place < ordered && written <= maxHandedOn; place++) {
    const task = topo[place]!;
    const replacement = removed.get(task);
    if (replacement === undefined) continue;
    const known = replacement.replaced_by.filter((id) => added.has(id));
    const ids = known.length > 0 ? lastOf(new Set(known), dependencies) : waitedForBefore(task);
    after.set(task, ids);
    // Each of what comes after a task waits for all that it handed on.
    const followers = base.all.outPtr[task + 1]! - base.all.outPtr[task]!;
    written += ids.length * Math.max(1, followers);
  }
  return { after, tooMany: written > maxHandedOn };

  function waitedForBefore(task: number): string[] {
    const ids = new Set<string>();
    for (let edge = base.all.inPtr[task]!; edge < base.all.inPtr[task + 1]!; edge++) {
      const source = base.all.in[edge]!;
      for (const id of after.get(source) ?? [renewed.get(source) ?? base.tasks[source]!.task_id]) ids.add(id);
    }
    return [...ids];
  }
}

/** Those of the new tasks that none of the others waits for. */
function lastOf(members: ReadonlySet<string>, dependencies: ReadonlyMap<string, ReadonlySet<string>>): string[] {
  const waitedFor = new Set<string>();
  for (const id of members) {
    for (const other of dependencies.get(id) ?? []) if (other !== id && members.has(other)) waitedFor.add(other);
  }
  return [...members].filter((id) => !waitedFor.has(id));
}

function someOf(values: ReadonlySet<string> | undefined, holds: (value: string) => boolean): boolean {
  for (const value of values ?? []) if (holds(value)) return true;
  return false;
}
