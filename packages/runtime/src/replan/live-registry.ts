import {
  type Executor,
  FaultLog,
  hashValue,
  isCallbackError,
  type Resource,
  resourcesOf,
  whyUnavailable,
} from "@planloom/plan";
import { asDefinitionError } from "../edge/as-definition-error.ts";
import { RuntimeError } from "../errors.ts";
import { type Registry, registry } from "../executors/registry.ts";

/** What changed between two looks at the executors. Keys are `kind:uid`. */
export interface ResourceChanges {
  /** Gone, or they take or give something else, were upgraded, or are reached otherwise. */
  readonly changed: ReadonlySet<string>;
  readonly gone: ReadonlySet<string>;
}

const none: ResourceChanges = { changed: new Set(), gone: new Set() };

/**
 * A registry that can look again: executors whose servers come and go offer other resources after a while. Looking costs a
 * comparison of list objects where nothing changed.
 */
export class LiveRegistry implements Registry {
  readonly #executors: readonly Executor[];
  #current: Registry;
  #lists: readonly (readonly Resource[])[];
  #prints = new Map<string, { readonly resource: Resource; readonly print: string }>();
  readonly #faults = new FaultLog();
  /** What could not execute when the run began. */
  readonly #unavailable = new Set<string>();

  /** What changed since an earlier session. */
  readonly changedBefore: ResourceChanges;

  /**
   * @param earlier fingerprints of an earlier session
   * @throws RuntimeError as `registry`
   */
  constructor(executors: readonly Executor[], earlier: Readonly<Record<string, string>> = {}) {
    this.#executors = executors;
    this.#current = registry(executors);
    this.#lists = asDefinitionError(() => executors.map(resourcesOf));
    this.#prints = this.#fingerprints();
    for (const executor of executors) {
      for (const { kind, id } of asDefinitionError(() => resourcesOf(executor))) {
        const reason = asDefinitionError(() => whyUnavailable(executor, id));
        if (reason !== undefined) this.#unavailable.add(`${kind}:${id}`);
      }
    }
    this.changedBefore = this.#changes(new Map(Object.entries(earlier)));
  }

  get resources(): readonly Resource[] {
    return this.#current.resources;
  }

  get catalogue(): Registry["catalogue"] {
    return this.#current.catalogue;
  }

  find(kind: Parameters<Registry["find"]>[0], uid: string): ReturnType<Registry["find"]> {
    return this.#current.find(kind, uid);
  }

  /** True for a resource that could not execute when the run began already. */
  neverWasAvailable(kind: string, uid: string): boolean {
    return this.#unavailable.has(`${kind}:${uid}`);
  }

  /** SHA-256 of what a resource takes and gives and how it is reached, by `kind:uid`. */
  fingerprints(): ReadonlyMap<string, string> {
    return new Map([...this.#prints].map(([key, { print }]) => [key, print]));
  }

  /** Looks again. A list that makes no sense (two of one name), and an executor that gives none, changes nothing. */
  refresh(): ResourceChanges {
    const lists = this.#listNow();
    if (lists === undefined || lists.every((list, at) => list === this.#lists[at])) return none;
    this.#lists = lists;
    try {
      this.#current = registry(this.#executors);
    } catch (error) {
      if (error instanceof RuntimeError) return none;
      throw error;
    }
    const before = this.fingerprints();
    this.#prints = this.#fingerprints();
    return this.#changes(before);
  }

  #listNow(): (readonly Resource[])[] | undefined {
    try {
      return this.#executors.map(resourcesOf);
    } catch (error) {
      if (!isCallbackError(error)) throw error;
      this.#faults.report(String(error.details.callback), error);
      return undefined;
    }
  }

  #changes(before: ReadonlyMap<string, string>): ResourceChanges {
    const changed = new Set<string>();
    const gone = new Set<string>();
    for (const [key, print] of before) {
      const now = this.#prints.get(key)?.print;
      if (now === print) continue;
      changed.add(key);
      if (now === undefined) gone.add(key);
    }
    return changed.size === 0 ? none : { changed, gone };
  }

  #fingerprints(): Map<string, { readonly resource: Resource; readonly print: string }> {
    return new Map(
      this.#current.resources.map((resource) => {
        const key = `${resource.kind}:${resource.id}`;
        const known = this.#prints.get(key);
        return [key, known?.resource === resource ? known : { resource, print: fingerprint(resource) }];
      }),
    );
  }
}

/** Leaves out costs and tags, which may change without a reason to plan again. */
function fingerprint(resource: Resource): string {
  const { estimate: _estimate, tags: _tags, traits: _traits, skills: _skills, ...rest } = resource;
  return hashValue(rest);
}
