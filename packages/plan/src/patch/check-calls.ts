import { canonicalJson } from "../hashes/canonical-json.ts";
import { hashText } from "../hashes/hash-value.ts";
import { IssueCode, type PlanIssue } from "../issue.ts";
import type { Resource, ResourceCatalogue } from "../ports/resource.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { elementNames, referringValues } from "../references/flow-values.ts";
import { hasInnerTasks } from "../references/inner-tasks.ts";
import { renameReferences } from "../references/map-references.ts";
import { resourcePin } from "../resource-pin.ts";
import { resourceCatalogue } from "../validation/resource-catalogue.ts";
import { valueText } from "../validation/value-text.ts";
import type { PatchFacts } from "./patch-facts.ts";
import { visitReferredNames } from "./referred-names.ts";
import type { RewrittenPlan } from "./rewrite-plan.ts";

/**
 * No call is made more often than in the plan before, and none that is new more than once: a new task may not do again
 * what a task outside the region does or has done. A call is a pinned resource with its arguments, after the same tasks.
 * Repeating one that only reads, or has the same effect twice, is merely wasteful.
 */
export function checkCalls(
  facts: PatchFacts,
  after: RewrittenPlan,
  options: { readonly resources?: readonly Resource[] | ResourceCatalogue },
): PlanIssue[] {
  const addedCalls = [...facts.added.values()].flatMap((task) => callsWithin(task));
  const calledBy = callsLike(addedCalls, catalogueOf(options.resources));
  if (calledBy === undefined) return [];
  const { before, counts, kept } = callsOfPlan(facts, after, calledBy);
  const issues: PlanIssue[] = [];
  for (const each of addedCalls) {
    const known = calledBy(each.call);
    if (known === undefined) continue;
    const [task] = each.lists;
    const call = callText(each, known.pin, (name) => facts.resolve(name) ?? name, task.dependencies);
    const count = (counts.get(call) ?? 0) + 1;
    counts.set(call, count);
    const id = `${task.task_id}${each.id}`;
    if (count <= Math.max(1, before.get(call) ?? 0)) {
      if (!kept.has(call)) kept.set(call, id);
      continue;
    }
    const twin = kept.get(call) ?? "another task";
    issues.push({
      code: IssueCode.TASK_REPEATED,
      severity: known.harmless ? "warning" : "error",
      message: `New task ${valueText(id, 130)} makes the same call as ${valueText(twin, 130)}; refer to the output of that task instead.`,
      task_id: task.task_id,
      from_task_id: twin,
    });
  }
  return issues;
}

/** What a task calls, where it could be one of the calls that are compared. */
type CalledBy = (task: PlannerTask) => Called | undefined;

/** Finds calls that could be the same as one of these; `undefined` where none of them has a pinned resource. */
function callsLike(calls: readonly CallWithin[], catalogue: ResourceCatalogue | undefined): CalledBy | undefined {
  /** By uid, then kind. */
  const called = new Map<string, Map<string, Called>>();
  for (const { call } of calls) {
    const { kind, uid } = resourcePin(call);
    if (kind === undefined || uid === undefined) continue;
    const kinds = called.get(uid) ?? new Map<string, Called>();
    called.set(uid, kinds);
    const resource = catalogue?.find(kind, uid);
    const harmless = resource?.read_only === true || resource?.idempotent === true;
    const known = kinds.get(kind) ?? { pin: `${kind} ${uid}`, harmless, shapes: new Set() };
    kinds.set(kind, known);
    known.shapes.add(shapeOf(call));
  }
  if (called.size === 0) return undefined;
  return (task) => {
    // Most tasks are tools of another name; for them nothing need be put together.
    if (task.execution_type === "tool" && task.tool_id && !called.has(task.tool_id)) return undefined;
    const { kind = "", uid = "" } = resourcePin(task);
    const known = called.get(uid)?.get(kind);
    return known?.shapes.has(shapeOf(task)) ? known : undefined;
  };
}

/** The calls of the plan before the patch, by their text: how often each was made, how often it stays, and by which task. */
function callsOfPlan(facts: PatchFacts, after: RewrittenPlan, calledBy: CalledBy) {
  const { base, removed, renewed } = facts;
  const before = new Map<string, number>();
  const counts = new Map<string, number>();
  const kept = new Map<string, string>();
  /** What an old name refers to after the patch. */
  const now = (name: string): string => {
    const task = base.names.get(name);
    if (task === undefined) return facts.resolve(name) ?? name;
    return removed.get(task)?.output_from ?? renewed.get(task) ?? base.tasks[task]!.task_id;
  };
  for (const [number, task] of base.tasks.entries()) {
    if (!hasInnerTasks(task) && calledBy(task) === undefined) continue;
    for (const each of callsWithin(task)) {
      const known = calledBy(each.call);
      if (known === undefined) continue;
      const declared = task.dependencies.flatMap((id) => {
        const source = base.index.get(id);
        return source === undefined ? [] : facts.after(source);
      });
      const call = callText(each, known.pin, now, declared);
      before.set(call, (before.get(call) ?? 0) + 1);
      if (removed.has(number)) continue;
      counts.set(call, (counts.get(call) ?? 0) + 1);
      kept.set(call, `${(after.rewritten.get(number) ?? task).task_id}${each.id}`);
    }
  }
  return { before, counts, kept };
}

/** A call that a task makes, itself or in the elements of its list. */
interface CallWithin {
  readonly call: PlannerTask;
  /** The task of the plan, and each task on the way to the call that has a list of its own; the last may be the call itself. */
  readonly lists: readonly [PlannerTask, ...PlannerTask[]];
  /** `/books`, behind the id of the plan's task; empty for the task itself. */
  readonly id: string;
}

function callsWithin(task: PlannerTask): CallWithin[] {
  const visit = (each: PlannerTask, lists: CallWithin["lists"], id: string): CallWithin[] =>
    each.for_each?.tasks === undefined
      ? [{ call: each, lists, id }]
      : each.for_each.tasks.flatMap((inner) =>
          visit(inner, inner.for_each === undefined ? lists : [...lists, inner], `${id}/${inner.task_id}`),
        );
  return visit(task, [task], "");
}

interface Called {
  readonly pin: string;
  readonly harmless: boolean;
  readonly shapes: Set<number>;
}

/** A key that is equal for equal calls, also if their arguments are in another order. Few other calls share it, so few need a closer comparison. */
function shapeOf({ arguments: values }: PlannerTask): number {
  const keys = Object.keys(values);
  let shape = keys.length;
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const value = values[key];
    let own = 1;
    if (typeof value === "number") own = value | 0;
    else if (typeof value === "boolean") own = value ? 2 : 3;
    // References are other texts for the same call.
    else if (typeof value === "string" && !value.includes("${")) own = 4 + value.length;
    shape = (shape + Math.imul(own, 31 + key.length)) | 0;
  }
  return shape;
}

/**
 * Equal for equal calls. Elements are named by the depth of their list, and other tasks within a list by what they call, so that a list of one
 * task and a list with tasks of its own compare.
 */
function callText(
  { call, lists }: CallWithin,
  pin: string,
  rename: (name: string) => string,
  declared: readonly string[],
): string {
  const names = new Map<string, string>();
  const dependencies = new Set(declared);
  const renamed = (name: string): string => names.get(name) ?? rename(name);
  const note = (name: string): void => {
    dependencies.add(renamed(name));
  };
  const textOf = (task: PlannerTask, ownPin: string): string => {
    const { arguments: values, parameters, convertor_code, instructions, when } = task;
    return canonicalJson({
      pin: ownPin,
      values: renameReferences(values, renamed),
      parameters: renameReferences(parameters, renamed),
      ...(when !== undefined && { when: renameReferences(when, renamed) }),
      convertor_code,
      // A tool is called with arguments alone; to the others the words are input.
      words: ownPin.startsWith("tool ") ? null : [task.description, instructions],
    });
  };
  const around: unknown[] = [];
  for (const [depth, task] of lists.entries()) {
    const { for_each, when } = task;
    if (for_each === undefined) continue;
    visitReferredNames(for_each.items, note);
    around.push(renameReferences(for_each.items, renamed));
    for (const [place, name] of elementNames(task).entries()) names.set(name, `element ${depth} ${place}`);
    // Of a list with tasks of its own, the condition decides about all of them.
    if (for_each.tasks === undefined) continue;
    if (when !== undefined) {
      visitReferredNames(when.condition, note);
      around.push(renameReferences(when, renamed));
    }
    nameInner(for_each.tasks, names, (inner) => hashText(textOf(inner, pinText(inner))));
  }
  visitReferredNames(call.parameters, note);
  visitReferredNames(call.arguments, note);
  if (call.when !== undefined) visitReferredNames(call.when.condition, note);
  return `${textOf(call, pin)} ${canonicalJson({ around, dependencies: [...dependencies].sort() })}`;
}

/** Names the tasks of a list by what they call, those first that others refer to. What is in a cycle keeps its name. */
function nameInner(
  tasks: readonly PlannerTask[],
  names: Map<string, string>,
  textOf: (task: PlannerTask) => string,
): void {
  const byName = new Map<string, PlannerTask>();
  for (const task of tasks)
    for (const name of [task.task_id, task.result_variable ?? task.task_id]) byName.set(name, task);
  const visited = new Set<PlannerTask>();
  const visit = (task: PlannerTask): void => {
    if (visited.has(task)) return;
    visited.add(task);
    const follow = (name: string): void => {
      const source = byName.get(name);
      if (source !== undefined) visit(source);
    };
    for (const value of referringValues(task)) visitReferredNames(value, follow);
    const text = `call ${textOf(task)}`;
    names.set(task.task_id, text);
    if (task.result_variable !== undefined) names.set(task.result_variable, text);
  };
  for (const task of tasks) visit(task);
}

function pinText(task: PlannerTask): string {
  const { kind = "", uid = "" } = resourcePin(task);
  return `${kind} ${uid}`;
}

export function catalogueOf(
  resources: readonly Resource[] | ResourceCatalogue | undefined,
): ResourceCatalogue | undefined {
  if (resources === undefined) return undefined;
  return "find" in resources && "all" in resources ? resources : resourceCatalogue(resources as readonly Resource[]);
}
