import { inputName } from "../references/task-names.ts";
import type { PatchBase } from "./patch-base.ts";
import { retiredTasks } from "./revision.ts";

const maxId = 128;

/** Gives ids that were never used in a plan or its earlier revisions: the wanted one, or that with a number behind it. */
export function freshIds(base: PatchBase): (wanted: string) => string {
  const taken = new Set<string>([
    inputName,
    ...base.otherNames,
    ...retiredTasks(base.plan),
    ...Object.keys(base.plan.variables ?? {}),
    ...base.tasks.map(({ main_task_id }) => main_task_id),
  ]);
  const isTaken = (id: string): boolean => taken.has(id) || base.names.has(id);
  const counters = new Map<string, number>();
  return (wanted) => {
    let id = wanted;
    if (isTaken(id)) {
      const stem = wanted.replace(/_\d{1,6}$/, "").slice(0, maxId - 8);
      let number = counters.get(stem) ?? 2;
      for (; isTaken(`${stem}_${number}`); number++);
      counters.set(stem, number + 1);
      id = `${stem}_${number}`;
    }
    taken.add(id);
    return id;
  };
}
