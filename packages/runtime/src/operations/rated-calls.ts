import type { Registry } from "../executors/registry.ts";
import { resourceKeys } from "../make-limits.ts";
import type { RateLimit } from "../ports/token-bucket.ts";

/** Calls of a resource that a rate of the run holds back, however many could be made at once. */
export interface RatedCalls {
  /** The resource, as the rate names it. */
  readonly resource: string;
  readonly calls: number;
  /** At most `limit` of them begin in any `interval_ms`. */
  readonly limit: number;
  readonly interval_ms: number;
  /** The last of them begins no earlier after the first. */
  readonly least_ms: number;
}

/** @param calls by `kind:uid` */
export function ratedCalls(
  calls: Readonly<Record<string, number>>,
  rates: ReadonlyMap<string, RateLimit>,
  known: Registry,
): RatedCalls[] {
  return [...rates].flatMap(([resource, { limit, intervalMs }]) => {
    const made = resourceKeys(resource, known).reduce((sum, key) => sum + (calls[key] ?? 0), 0);
    const least_ms = Math.max(0, Math.ceil(made / limit) - 1) * intervalMs;
    return least_ms === 0 ? [] : [{ resource, calls: made, limit, interval_ms: intervalMs, least_ms }];
  });
}
