import { hashValue } from "../hashes/hash-value.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import { flowValues, referringValues } from "../references/flow-values.ts";
import { isDecidedByConditions, withInnerTasks } from "../references/inner-tasks.ts";
import { callName } from "./calls-of-task.ts";
import { begun, isJoin, newTasks, type Unasked } from "./how-tasks-end.ts";
import { hasGate } from "./inherited-bounds.ts";
import type { PatchFacts } from "./patch-facts.ts";
import type { TaskReplacement } from "./plan-patch.ts";
import { visitReferredNames } from "./referred-names.ts";

/**
 * Tasks with a gate, by number, that may end without a question because of what a patch replaces before them: they read a decision (`choose`) that is another
 * one now, their condition compares what another call gives now, or they come after a task that has a condition now. Linear in the plan.
 * @param mayBeSkipped true for a replaced task the replacement of which may be skipped where the task was not
 */
export function gatesRoutedAround(
  facts: PatchFacts,
  mayBeSkipped: (task: number, replacement: TaskReplacement) => boolean,
): ReadonlyMap<number, Unasked> {
  const { base, removed, renewed } = facts;
  const { topo, ordered } = base.order;
  const found = new Map<number, Unasked>();
  const decided = new Set<number>();
  /** Tasks whose output comes from another call now, or is made of such an output. */
  const changed = new Set<number>();
  const skipped = new Uint8Array(base.tasks.length);
  const reads = (values: unknown, ...of: readonly ReadonlySet<number>[]): boolean => {
    let doesRead = false;
    if (of.some(({ size }) => size > 0))
      visitReferredNames(values, (name) => {
        const source = base.names.get(name);
        if (source !== undefined && of.some((tasks) => tasks.has(source))) doesRead = true;
      });
    return doesRead;
  };
  for (let place = 0; place < ordered; place++) {
    const task = topo[place]!;
    const planned = base.tasks[task]!;
    const replacement = removed.get(task);
    const sources = base.all.in.subarray(base.all.inPtr[task]!, base.all.inPtr[task + 1]!);
    const after = replacement === undefined ? [planned] : newTasks(replacement, facts);
    const isAfterSkipped =
      sources.some((source) => skipped[source] === 1) && !(after.length > 0 && after.every(isJoin));
    const skips =
      isAfterSkipped ||
      reads(planned.when?.condition, decided, changed) ||
      (replacement !== undefined && mayBeSkipped(task, replacement));
    if (skips) skipped[task] = 1;
    const isChanged =
      replacement === undefined
        ? isDecidedByConditions(planned) && reads(planned.choose, decided, changed)
        : isAnotherDecision(planned, replacement, facts);
    if (isChanged) decided.add(task);
    const stays = begun.has(planned.status) && !renewed.has(task) && replacement === undefined;
    const givesAnother =
      replacement === undefined
        ? !stays && reads(referringValues(planned), changed)
        : isAnotherCall(planned, replacement, facts);
    if (givesAnother) changed.add(task);
    if (!hasGate(planned) || stays) continue;
    const completes = planned.for_each !== undefined && reads(flowValues({ for_each: planned.for_each }), decided);
    if (skips || completes) found.set(task, { completes, skips });
  }
  return found;
}

/** True where a decision is replaced by anything but the same decision, or something else by a decision. */
function isAnotherDecision(
  before: PlannerTask,
  { output_from, replaced_by }: TaskReplacement,
  facts: PatchFacts,
): boolean {
  const giver = facts.added.get(output_from ?? "");
  if (![before, ...newTasks({ replaced_by }, facts)].some(hasDecision)) return false;
  return giver === undefined || decisionOf(before) !== decisionOf(giver);
}

/** True where what gives the output makes another call, or the same with other values: a condition may compare what it gives. */
function isAnotherCall(before: PlannerTask, { output_from }: TaskReplacement, { added }: PatchFacts): boolean {
  const giver = added.get(output_from ?? "");
  return giver === undefined || hashValue(callOf(before)) !== hashValue(callOf(giver));
}

function callOf(task: PlannerTask): object {
  const { arguments: values, parameters, convertor_code, for_each, description } = task;
  const name = callName(task);
  // What is open is chosen by its description.
  return [name ?? description, values, parameters, convertor_code, for_each ?? null];
}

const hasDecision = (task: PlannerTask): boolean => withInnerTasks([task]).some(({ choose }) => choose !== undefined);

function decisionOf(task: PlannerTask): string {
  const { choose, for_each, arguments: values } = task;
  const call = isDecidedByConditions(task) ? undefined : [callName(task), values];
  return hashValue({ choose, for_each, call });
}
