import { type PlannerTask, resourcePin } from "@planloom/plan";
import type { Registry, RegistryEntry } from "./registry.ts";

/** The executor and resource that a task names; `undefined` where Stage 2 is to choose, and where no resource has the name. */
export function resourceEntry(task: PlannerTask, known: Registry): RegistryEntry | undefined {
  const { kind, uid } = resourcePin(task);
  if (uid === undefined) return undefined;
  const [decided] = kind === undefined ? known.catalogue.kindsOf(uid) : [kind];
  return decided && known.find(decided, uid);
}
