import type { PlannerTask, PlanPatch } from "@planloom/plan";

/** The same change, with a person asked about each new task. */
export function withGates(patch: PlanPatch): PlanPatch {
  return { ...patch, tasks: patch.tasks.map(withGate) };
}

/** A list's calls are asked about one by one, as they are made: the question about an element would not show them. */
function withGate(task: PlannerTask): PlannerTask {
  const { for_each } = task;
  if (for_each?.tasks === undefined) return { ...task, approval: "required" };
  return { ...task, for_each: { ...for_each, tasks: for_each.tasks.map(withGate) } };
}
