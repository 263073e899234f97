import { type Executor, type Resource, resourcesOf } from "@planloom/plan";

/**
 * The resources of executors as one list, which stays the same object while no executor's own list changes; so that
 * a catalogue is built from it once. The function throws PlanError CALLBACK when an executor does not give a list.
 */
export function resourceList(executors: readonly Executor[]): () => readonly Resource[] {
  let parts: readonly (readonly Resource[])[] = [];
  let list: readonly Resource[] | undefined;
  return () => {
    const now = executors.map((executor) => resourcesOf(executor));
    if (list === undefined || now.some((part, index) => part !== parts[index])) {
      parts = now;
      list = now.flat();
    }
    return list;
  };
}
