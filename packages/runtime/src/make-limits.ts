import { type ExecutionKind, executionKinds, type PlannerTask, resourcePin } from "@planloom/plan";
import { Limits, NO_GROUP } from "./core/limits.ts";
import type { Registry } from "./executors/registry.ts";
import type { ReadLimits } from "./run-limits.ts";

/** The limits of a run. A resource's id is read as tasks may write it, and means every kind that has it. */
export function makeLimits(
  settings: { readonly concurrency: number; readonly limits: ReadLimits },
  known: Registry,
): Limits {
  const resources = new Map<string, number>();
  for (const [id, limit] of settings.limits.resources) {
    for (const key of resourceKeys(id, known)) resources.set(key, limit);
  }
  return new Limits({ concurrency: settings.concurrency, kinds: settings.limits.kinds, resources });
}

/** The limits of kinds and resources that hold for a call, by a name of theirs. */
export function callLimits(
  { kinds, resources }: ReadLimits,
  known: Registry,
): (kind: ExecutionKind | undefined, uid: string | undefined) => ReadonlyMap<string, number> {
  const limits = new Map<string, number>(kinds);
  for (const [id, limit] of resources) for (const key of resourceKeys(id, known)) limits.set(key, limit);
  return (kind, uid) => {
    const names = kind === undefined ? [] : [kind, `${kind}:${uid ?? ""}`];
    return new Map(names.flatMap((name) => (limits.has(name) ? [[name, limits.get(name)!]] : [])));
  };
}

/**
 * `kind:uid` of every resource that an id means, in any spelling that tasks may use. An id that is unknown because its server is down
 * is kept as it is, and matches the resource once it is back.
 */
export function resourceKeys(id: string, known: Registry): string[] {
  const kinds = known.catalogue.kindsOf(id);
  if (kinds.length === 0) return executionKinds.map((kind) => `${kind}:${id}`);
  return kinds.flatMap((kind) => {
    const resource = known.find(kind, id)?.resource;
    return resource === undefined ? [] : [`${kind}:${resource.id}`];
  });
}

export interface TaskGroups {
  readonly kindGroup: Int32Array;
  readonly resourceGroup: Int32Array;
}

/** The groups of each task, as far as the task itself says which resource it is for. */
export function taskGroups(tasks: readonly PlannerTask[], limits: Limits, known: Registry): TaskGroups {
  const kindGroup = new Int32Array(tasks.length).fill(NO_GROUP);
  const resourceGroup = new Int32Array(tasks.length).fill(NO_GROUP);
  if (limits.names.length === 1) return { kindGroup, resourceGroup };
  const memory = new Map<string, { kind: number; resource: number }>();
  for (let number = 0; number < tasks.length; number++) {
    // A task that is executed for each element of a list makes its calls by its elements.
    if (tasks[number]!.for_each !== undefined) continue;
    const { kind, uid } = resourcePin(tasks[number]!);
    if (kind === undefined) continue;
    const key = `${kind}:${uid ?? ""}`;
    let groups = memory.get(key);
    if (groups === undefined) {
      groups = { kind: limits.kindGroup(kind), resource: resourceGroupOf(kind, uid, limits, known) };
      memory.set(key, groups);
    }
    kindGroup[number] = groups.kind;
    resourceGroup[number] = groups.resource;
  }
  return { kindGroup, resourceGroup };
}

/** The groups in which the calls of a list's elements count, as far as the list itself says which resource they are of. */
export function elementGroups(list: PlannerTask, limits: Limits, known: Registry): readonly number[] {
  const { kind, uid } = resourcePin(list);
  if (kind === undefined || limits.names.length === 1) return [];
  const groups = [limits.kindGroup(kind), resourceGroupOf(kind, uid, limits, known)];
  return groups.filter((group) => group !== NO_GROUP);
}

function resourceGroupOf(kind: ExecutionKind, uid: string | undefined, limits: Limits, known: Registry): number {
  const entry = uid === undefined ? undefined : known.find(kind, uid);
  return entry === undefined ? NO_GROUP : limits.resourceGroup(kind, entry.resource.id);
}
