import { isRecord, type PlannerTask, wholeReference } from "@planloom/plan";

/**
 * The task as one that has not run. Who proposes a plan cannot say what came of it: neither of the task itself, nor of those that it executes for
 * each element, nor of elements. Of `for_each.given` only references to other tasks stay.
 */
export function notYetRun(task: PlannerTask, time: string): PlannerTask {
  const { for_each } = task;
  return {
    ...task,
    status: "pending",
    output: {},
    creation_time: time,
    last_update_time: time,
    ...(for_each !== undefined && { for_each: withoutOutputs(for_each, time) }),
  };
}

function withoutOutputs(list: NonNullable<PlannerTask["for_each"]>, time: string): typeof list {
  const { given, tasks, ...rest } = list;
  const kept = Object.entries(given ?? {}).filter(([, output]) => isReference(output));
  return {
    ...rest,
    ...(kept.length > 0 && { given: Object.fromEntries(kept) }),
    ...(tasks !== undefined && { tasks: tasks.map((inner) => notYetRun(inner, time)) }),
  };
}

const isReference = (value: unknown): boolean =>
  typeof value === "string"
    ? wholeReference(value) !== undefined
    : isRecord(value) && Object.keys(value).length === 1 && typeof value.$ref === "string";
