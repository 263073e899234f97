import { hashValue } from "@planloom/plan";
import type { CachedOutput, ResultCache } from "./cached-output.ts";
import { checkOptions } from "./check-options.ts";
import { guardCache } from "./edge/guard-cache.ts";
import type { PreparedStep } from "./input/prepare-step.ts";
import { invalid } from "./invalid-option.ts";
import { cloneJson, jsonCopy } from "./json-copy.ts";

/** Which resources' outputs may be used again for an equal call, and where they are kept. */
export interface CacheOptions {
  /** Ids of the resources whose outputs may be used again. Name only resources whose calls have no effect. */
  readonly resources: readonly string[];
  /** @default the run's journal, else one in memory for this run alone */
  readonly store?: ResultCache;
  /** How long an output may be used, in milliseconds. @default Infinity */
  readonly maxAgeMs?: number;
  /** How long the store may take for one call, in milliseconds; after a call that takes longer the run no longer uses the store. @default `journalTimeoutMs` */
  readonly timeoutMs?: number;
}

/** A cache in memory, which forgets what was not used for longest. @param options.maxEntries @default 1_000. @throws RuntimeError INVALID_OPTION */
export function memoryCache(options: { readonly maxEntries?: number } = {}): Required<ResultCache> {
  checkOptions("`memoryCache`", options, { maxEntries: "number" });
  const { maxEntries = 1_000 } = options;
  if (!(maxEntries >= 1)) throw invalid("maxEntries", "a number of at least 1", maxEntries);
  const entries = new Map<string, CachedOutput>();
  /** Keys by run, so that one run's are found without a look at all others. */
  const keysOf = new Map<string, Set<string>>();
  const remove = (key: string) => {
    const runId = entries.get(key)?.run_id;
    entries.delete(key);
    if (runId === undefined) return;
    const keys = keysOf.get(runId);
    keys?.delete(key);
    if (keys?.size === 0) keysOf.delete(runId);
  };
  const meantBy = (runId: string | undefined): Iterable<string> =>
    runId === undefined ? entries.keys() : (keysOf.get(runId) ?? []);
  return {
    async readCache(key) {
      const cached = entries.get(key);
      if (cached === undefined) return undefined;
      entries.delete(key);
      entries.set(key, cached);
      return { ...cached, output: cloneJson(cached.output) };
    },
    async writeCache(key, cached) {
      remove(key);
      entries.set(key, { ...cached, output: cloneJson(cached.output) });
      if (cached.run_id !== undefined) {
        const keys = keysOf.get(cached.run_id);
        if (keys === undefined) keysOf.set(cached.run_id, new Set([key]));
        else keys.add(key);
      }
      for (const oldest of entries.keys()) {
        if (entries.size <= maxEntries) break;
        remove(oldest);
      }
    },
    async purgeCache({ storedBefore = Number.POSITIVE_INFINITY, runId, dryRun = false } = {}) {
      const meant = [...meantBy(runId)].filter((key) => (entries.get(key)?.stored_at ?? 0) < storedBefore);
      if (!dryRun) for (const key of meant) remove(key);
      return meant.length;
    },
  };
}

/**
 * The cache of a run: which resources it is for, and under which key. A key covers the task's content (what it does, and
 * what it depends on does), the resource and the input. A store that fails is treated as empty; one that does not
 * settle in time is not used again.
 */
export class RunCache {
  /** As `kind:uid`. */
  readonly resources: ReadonlySet<string>;
  readonly store: ResultCache;
  readonly maxAgeMs: number;

  constructor(resources: ReadonlySet<string>, store: ResultCache, maxAgeMs: number, runId: string, timeoutMs: number) {
    this.resources = resources;
    // Also a worker may write: what is kept comes from this run.
    const ofRun: ResultCache = {
      readCache: (key) => store.readCache(key),
      writeCache: (key, { output, stored_at }) => store.writeCache(key, { output, stored_at, run_id: runId }),
    };
    this.store = guardCache(ofRun, timeoutMs);
    this.maxAgeMs = maxAgeMs;
  }

  /** Outputs of calls with secrets are not cached: they may differ from secret to secret. */
  covers({ resource, secrets }: PreparedStep): boolean {
    if (secrets !== undefined) return false;
    return this.resources.has(`${resource.kind}:${resource.id}`);
  }

  async find(prepared: PreparedStep, contentHash: string): Promise<{ readonly output: unknown } | undefined> {
    try {
      const cached = await this.store.readCache(keyOf(prepared, contentHash));
      if (cached === undefined || !(Date.now() - cached.stored_at <= this.maxAgeMs)) return undefined;
      return { output: jsonCopy(cached.output, { maxBytes: Number.POSITIVE_INFINITY }).value };
    } catch {
      return undefined;
    }
  }

  async keep(prepared: PreparedStep, contentHash: string, output: unknown): Promise<void> {
    try {
      await this.store.writeCache(keyOf(prepared, contentHash), { output, stored_at: Date.now() });
    } catch {
      // The run has its output; the next one will have to make it again.
    }
  }
}

function keyOf({ resource, step }: PreparedStep, contentHash: string): string {
  const { input_data, output_module } = step;
  return hashValue([contentHash, resource.kind, resource.id, hashValue(input_data), output_module ?? null]);
}
