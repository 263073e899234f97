import { hashValue } from "../hashes/hash-value.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { isDecidedByConditions, withInnerTasks } from "../references/inner-tasks.ts";
import { gatesRoutedAround } from "./gates-routed-around.ts";
import { begun, isJoin, newTasks, type Unasked } from "./how-tasks-end.ts";
import { hasGate } from "./inherited-bounds.ts";
import type { PatchFacts } from "./patch-facts.ts";
import type { TaskReplacement } from "./plan-patch.ts";

/**
 * Ids in the new plan of the tasks to which a gate moves on: those that come next after one which was dropped, the replacement of which may end
 * without a question, or which may be skipped since the patch replaces a decision or a task before it. A task that makes no call cannot ask, so that the gate moves on past it; so it does past lists and conditions. Linear in the plan.
 */
export function behindLostGates(facts: PatchFacts): ReadonlySet<string> {
  const { base, removed, renewed, added } = facts;
  const found = new Set<string>();
  const known = new Map<number, Unasked>();
  const queue: number[] = [];
  const note = (task: number, { completes, skips }: Unasked): void => {
    const before = known.get(task) ?? { completes: false, skips: false };
    if ((!completes || before.completes) && (!skips || before.skips)) return;
    known.set(task, { completes: completes || before.completes, skips: skips || before.skips });
    queue.push(task);
  };
  for (const [task, replacement] of removed)
    if (hasGate(base.tasks[task]!)) note(task, unaskedAfter(task, replacement, facts));
  const mayBeSkipped = (task: number, replacement: TaskReplacement) => unaskedAfter(task, replacement, facts).skips;
  for (const [task, ends] of gatesRoutedAround(facts, mayBeSkipped)) note(task, ends);
  for (const task of queue) {
    const before = known.get(task)!;
    for (let edge = base.all.outPtr[task]!; edge < base.all.outPtr[task + 1]!; edge++) {
      const next = base.all.out[edge]!;
      const replacement = removed.get(next);
      if (replacement !== undefined) {
        for (const id of replacement.replaced_by) if (added.has(id)) found.add(id);
        note(next, endsAfterReplacement(replacement, before, facts));
        continue;
      }
      const { ends, asks } = endsAfterKept(base.tasks[next]!, before);
      if (asks && (renewed.has(next) || !begun.has(base.tasks[next]!.status))) {
        found.add(renewed.get(next) ?? base.tasks[next]!.task_id);
      }
      note(next, ends);
    }
  }
  return found;
}

/** How what replaces a task may end without a question, where a task before it may end so. */
function endsAfterReplacement(replacement: TaskReplacement, before: Unasked, facts: PatchFacts): Unasked {
  const after = newTasks(replacement, facts);
  if (after.length === 0) return before;
  return { ...mayEndUnasked(after), skips: before.skips || after.some(isUncertain) };
}

/** The same of a task that stays. `asks`: it may run then, and makes a call, so that it can ask. */
function endsAfterKept(task: PlannerTask, before: Unasked): { readonly ends: Unasked; readonly asks: boolean } {
  const runs = before.completes || (before.skips && isJoin(task));
  const makesCalls = task.wait === undefined && !isDecidedByConditions(task);
  const ends = {
    completes: runs && (!makesCalls || task.for_each !== undefined),
    skips: (runs && task.when !== undefined) || (before.skips && !isJoin(task)),
  };
  return { ends, asks: runs && makesCalls };
}

/** How what replaces a task with a gate may end without a question. */
function unaskedAfter(task: number, replacement: TaskReplacement, facts: PatchFacts): Unasked {
  const before = facts.base.tasks[task]!;
  const after = newTasks(replacement, facts);
  if (after.length === 0) return { completes: true, skips: false };
  const sources = facts.base.all.in.subarray(facts.base.all.inPtr[task]!, facts.base.all.inPtr[task + 1]!);
  const waitsFor = new Set([...sources].flatMap((source) => facts.after(source)));
  const members = new Set(replacement.replaced_by);
  // What it newly waits for may be skipped, and it with that.
  const waitsForMore = after.some(({ task_id }) =>
    [...(facts.dependencies.get(task_id) ?? [])].some((id) => !members.has(id) && !waitsFor.has(id)),
  );
  const { completes, skips } = mayEndUnasked(after, (each) => isAskedAsBefore(each, before));
  return { completes, skips: skips || waitsForMore };
}

/** @param isAsked true for a task that asks whenever the one did that it replaces */
function mayEndUnasked(after: readonly PlannerTask[], isAsked = (_: PlannerTask): boolean => false): Unasked {
  const open = after.filter((task) => !isAsked(task));
  return {
    completes: (open.length === after.length && !open.some(isCertain)) || open.some(isJoin),
    skips: open.some(isUncertain),
  };
}

/** True for a task that is not completed before somebody was asked, if it is executed: no list, or one in which an element is written out that asks. */
function isCertain({ for_each, when }: PlannerTask): boolean {
  if (for_each === undefined) return true;
  const { items, given = {}, on_failure = "all", tasks } = for_each;
  const isWritten = Array.isArray(items) && items.some((_, index) => !Object.hasOwn(given, String(index)));
  // A condition of a list may be about its elements.
  if (!isWritten || on_failure !== "all" || when !== undefined) return false;
  return tasks === undefined || (!tasks.some(isUncertain) && tasks.some((inner) => isOpen(inner) && isCertain(inner)));
}

const isOpen = ({ status }: PlannerTask): boolean => status !== "completed";

const isUncertain = (task: PlannerTask): boolean => task.when !== undefined || isJoin(task);

/** True where the new task has the list and the conditions of the old one, and its tasks within have no others. */
function isAskedAsBefore(after: PlannerTask, before: PlannerTask): boolean {
  const flow = ({ for_each, when, join }: PlannerTask): string => {
    const { items, given, on_failure } = for_each ?? {};
    return hashValue({ items, given, on_failure, when, join });
  };
  if (flow(after) !== flow(before)) return false;
  const known = new Map(withInnerTasks(before.for_each?.tasks ?? []).map((task) => [task.task_id, flow(task)]));
  return withInnerTasks(after.for_each?.tasks ?? []).every(
    (task) => known.get(task.task_id) === flow(task) || (task.for_each === undefined && !isUncertain(task)),
  );
}
