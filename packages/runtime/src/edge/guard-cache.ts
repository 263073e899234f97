import { callWithin, FaultLog, isCallbackError, isRecord } from "@planloom/plan";
import type { CachedOutput, ResultCache } from "../cached-output.ts";
import { describe } from "../task-error.ts";

/**
 * A cache each of whose calls settles within `limitMs` milliseconds. After a call that does not, the store is not used again, since every
 * task would wait as long. Faults are warnings, since a run can do without its cache.
 */
export function guardCache(store: ResultCache, limitMs: number): ResultCache {
  const faults = new FaultLog();
  let gaveUp: unknown;
  const ask = async <Value>(name: string, call: () => Promise<Value>): Promise<Value> => {
    if (gaveUp !== undefined) throw gaveUp;
    try {
      return await callWithin(name, limitMs, call);
    } catch (error) {
      if (isCallbackError(error)) gaveUp = error;
      faults.report(name, error);
      throw error;
    }
  };
  return {
    readCache: async (key) => {
      const cached: unknown = await ask("cache.store.readCache", () => store.readCache(key));
      if (cached === undefined || isCached(cached)) return cached;
      const error = new Error(`Expected { output, stored_at } or undefined, got ${describe(cached)}.`);
      faults.report("cache.store.readCache", error);
      throw error;
    },
    writeCache: (key, cached) => ask("cache.store.writeCache", () => store.writeCache(key, cached)),
  };
}

function isCached(value: unknown): value is CachedOutput {
  return isRecord(value) && "output" in value && typeof value.stored_at === "number";
}
