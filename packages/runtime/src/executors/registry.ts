import {
  type ExecutionKind,
  type Executor,
  executionKinds,
  type Resource,
  type ResourceCatalogue,
  resourceCatalogue,
  resourcesOf,
} from "@planloom/plan";
import { asDefinitionError } from "../edge/as-definition-error.ts";
import { RuntimeError, RuntimeErrorCode } from "../errors.ts";
import { describe } from "../task-error.ts";

export interface RegistryEntry {
  readonly executor: Executor;
  readonly resource: Resource;
}

/** Executors by kind and resource. */
export interface Registry {
  readonly resources: readonly Resource[];
  readonly catalogue: ResourceCatalogue;
  /** By id; for tools the bare name and `server__tool` are read too where unique. */
  find(kind: ExecutionKind, uid: string): RegistryEntry | undefined;
}

/** `over` first, then `known`. */
export function overlay(known: Registry, over: Registry): Registry {
  const resources = [...over.resources, ...known.resources];
  let made: ResourceCatalogue | undefined;
  return {
    resources,
    get catalogue() {
      made ??= resourceCatalogue(resources);
      return made;
    },
    find: (kind, uid) => over.find(kind, uid) ?? known.find(kind, uid),
  };
}

/**
 * Asks each executor for its resources, once.
 * @throws RuntimeError DUPLICATE_RESOURCE, INVALID_DEFINITION
 */
export function registry(executors: readonly Executor[]): Registry {
  const entries = new Map<string, Map<string, RegistryEntry>>();
  const resources: Resource[] = [];
  for (const executor of executors) {
    checkExecutor(executor);
    const ofKind = entries.get(executor.kind) ?? new Map<string, RegistryEntry>();
    entries.set(executor.kind, ofKind);
    for (const resource of asDefinitionError(() => resourcesOf(executor))) {
      if (resource.kind !== executor.kind) {
        throw new RuntimeError(
          RuntimeErrorCode.INVALID_DEFINITION,
          `Expected an executor of kind ${executor.kind} to offer that kind only, got ${resource.kind} "${resource.id}".`,
          { details: { id: resource.id } },
        );
      }
      if (ofKind.has(resource.id)) {
        throw new RuntimeError(
          RuntimeErrorCode.DUPLICATE_RESOURCE,
          `Expected each ${resource.kind} to have its own id, got "${resource.id}" twice. Rename one.`,
          { details: { kind: resource.kind, id: resource.id } },
        );
      }
      ofKind.set(resource.id, { executor, resource });
      resources.push(resource);
    }
  }
  let made: ResourceCatalogue | undefined;
  const catalogue = () => (made ??= resourceCatalogue(resources));
  return {
    resources,
    get catalogue() {
      return catalogue();
    },
    find(kind, uid) {
      const ofKind = entries.get(kind);
      const exact = ofKind?.get(uid);
      if (exact !== undefined || ofKind === undefined) return exact;
      const found = catalogue().find(kind, uid);
      return found && ofKind.get(found.id);
    },
  };
}

function checkExecutor(given: Executor): void {
  const { kind, resources, execute } = (given ?? {}) as Partial<Executor>;
  const known = kind !== undefined && executionKinds.includes(kind);
  if (known && typeof resources === "function" && typeof execute === "function") return;
  throw new RuntimeError(
    RuntimeErrorCode.INVALID_DEFINITION,
    `Expected an executor ({ kind: ${executionKinds.join(" | ")}, resources(), execute() }), got ${describe(given)}.`,
    { details: { kind } },
  );
}
