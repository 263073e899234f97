import type { PlannerTask } from "../records/planner-task.ts";
import type { TaskData } from "../records/task-data.ts";
import { flowValues, hasFlowValues, renamedFlow } from "../references/flow-values.ts";
import { renameReferences } from "../references/map-references.ts";
import { withProtection } from "./inherited-bounds.ts";
import type { PatchFacts } from "./patch-facts.ts";
import { requiredProtection } from "./protection.ts";
import { visitReferredNames } from "./referred-names.ts";
import { planRevision, retiredTasks, taskLineage } from "./revision.ts";

export interface RewrittenPlan {
  readonly plan: TaskData;
  /** Old tasks that are other objects now, by number: those that waited for a replaced one, and the renewed. */
  readonly rewritten: ReadonlyMap<number, PlannerTask>;
}

/** States in which nothing was done yet, but for the sake of what is replaced now. */
const undone: ReadonlySet<PlannerTask["status"]> = new Set(["skipped", "waiting_approval", "waiting"]);

/** The plan after a patch, as far as the patch makes sense; nothing is checked. Untouched tasks stay the same objects. */
export function rewritePlan(facts: PatchFacts): RewrittenPlan {
  const { base, patch, removed, renewed } = facts;
  const rewritten = new Map<number, PlannerTask>();
  const touched = new Set<number>(renewed.keys());
  for (const source of [...removed.keys(), ...renewed.keys()]) {
    for (let edge = base.all.outPtr[source]!; edge < base.all.outPtr[source + 1]!; edge++) {
      const task = base.all.out[edge]!;
      if (!removed.has(task)) touched.add(task);
    }
  }
  const required = requiredProtection(facts);
  // A gate may move on to what is further down.
  for (const id of required.keys()) {
    const task = base.index.get(id);
    if (task !== undefined && !removed.has(task)) touched.add(task);
  }
  for (const task of touched) {
    const after = rewriteTask(task, facts);
    rewritten.set(task, withProtection(after, required.get(after.task_id)));
  }
  for (let task = 0; task < base.tasks.length; task++) {
    if (facts.downstream[task] === 0 || removed.has(task) || renewed.has(task)) continue;
    const current = rewritten.get(task) ?? base.tasks[task]!;
    if (undone.has(current.status)) rewritten.set(task, { ...current, status: "pending" });
  }
  const { plan } = base;
  const outputs = plan.outputs === undefined ? undefined : renamedOutputs(plan.outputs, facts);
  const gone = new Set([...removed.keys(), ...renewed.keys()].map((task) => base.tasks[task]!.task_id));
  const names = new Set(gone);
  for (const task of [...removed.keys(), ...renewed.keys()]) {
    const name = base.tasks[task]!.result_variable;
    if (name !== undefined) names.add(name);
  }
  return {
    rewritten,
    plan: {
      ...plan,
      ...(outputs !== undefined && { outputs }),
      planned_tasks: inOrder(facts, rewritten),
      completed_tasks: plan.completed_tasks.filter((id) => !gone.has(id)),
      output_data: Object.fromEntries(Object.entries(plan.output_data).filter(([name]) => !names.has(name))),
      status: plan.status === "pending" || plan.status === "in_progress" ? plan.status : "pending",
      update_time: patch.creation_time,
      metadata: {
        ...plan.metadata,
        revision: patch.patch_id,
        previous_revision: planRevision(plan),
        retired_tasks: [...retiredTasks(plan), ...gone],
      },
    },
  };
}

/** What the plan gives, by the ids of the tasks that give it now. */
function renamedOutputs(outputs: Readonly<Record<string, string>>, { base, removed, renewed }: PatchFacts) {
  return Object.fromEntries(
    Object.entries(outputs).map(([name, id]) => {
      const task = base.index.get(id);
      return [name, (task !== undefined && (removed.get(task)?.output_from ?? renewed.get(task))) || id];
    }),
  );
}

/** Puts new tasks where the first of the tasks was that they replace. */
function inOrder({ base, patch, removed }: PatchFacts, rewritten: ReadonlyMap<number, PlannerTask>): PlannerTask[] {
  const home = new Map<string, number>();
  for (const [task, { replaced_by }] of removed) {
    for (const id of replaced_by) home.set(id, Math.min(task, home.get(id) ?? task));
  }
  const at = new Map<number, PlannerTask[]>();
  for (const task of patch.tasks) {
    const place = home.get(task.task_id) ?? base.tasks.length;
    const there = at.get(place);
    if (there === undefined) at.set(place, [task]);
    else there.push(task);
  }
  const tasks: PlannerTask[] = [];
  for (let task = 0; task < base.tasks.length; task++) {
    const fresh = at.get(task);
    if (fresh !== undefined) for (const each of fresh) tasks.push(each);
    if (!removed.has(task)) tasks.push(rewritten.get(task) ?? base.tasks[task]!);
  }
  return [...tasks, ...(at.get(base.tasks.length) ?? [])];
}

function rewriteTask(number: number, facts: PatchFacts): PlannerTask {
  const { base, patch, removed, renewed, added } = facts;
  const task = base.tasks[number]!;
  const rename = (name: string): string => {
    const source = base.names.get(name);
    if (source === undefined) return name;
    const heir = removed.get(source)?.output_from ?? undefined;
    if (heir !== undefined) return added.get(heir)?.result_variable === name ? name : heir;
    const fresh = renewed.get(source);
    return fresh !== undefined && name === base.tasks[source]!.task_id ? fresh : name;
  };
  const dependencies = new Set<string>();
  for (const id of task.dependencies) {
    const source = base.index.get(id);
    if (source === undefined) dependencies.add(id);
    else for (const next of facts.after(source)) dependencies.add(next);
  }
  // What came after a dropped task by reference alone still comes after what that task waited for.
  const keepOrder = (name: string): void => {
    const source = base.names.get(name);
    if (source === undefined || removed.get(source)?.replaced_by.length !== 0) return;
    for (const next of facts.after(source)) dependencies.add(next);
  };
  visitReferredNames(task.parameters, keepOrder);
  visitReferredNames(task.arguments, keepOrder);
  if (hasFlowValues(task)) visitReferredNames(flowValues(task), keepOrder);
  const changed: PlannerTask = {
    ...task,
    dependencies: [...dependencies],
    arguments: renameReferences(task.arguments, rename) as Record<string, unknown>,
    parameters: renameReferences(task.parameters, rename) as Record<string, unknown>,
    ...renamedFlow(task, rename),
  };
  const fresh = renewed.get(number);
  if (fresh === undefined) return changed;
  return {
    ...changed,
    task_id: fresh,
    main_task_id: taskLineage(task, base.plan),
    status: "pending",
    output: {},
    mark_replan: false,
    creation_time: patch.creation_time,
    last_update_time: patch.creation_time,
  };
}
