import { type ExecutionKind, executionKinds } from "@planloom/plan";
import { checkKeys, checkRecord } from "./check-keys.ts";
import { invalid } from "./invalid-option.ts";
import type { RateLimit } from "./ports/token-bucket.ts";

export interface RunLimits {
  /** Tasks at once by kind; `{ llm: 2 }`. */
  readonly kinds?: Readonly<Partial<Record<ExecutionKind, number>>>;
  /** Tasks at once by id of the resource; `{ "freight/shipments_list": 1 }`. */
  readonly resources?: Readonly<Record<string, number>>;
  /** Calls in any interval by id of the resource; `{ "freight/shipments_list": { limit: 10, intervalMs: 1_000 } }`. */
  readonly rates?: Readonly<Record<string, RateLimit>>;
}

/** `RunLimits` after they were checked. */
export interface ReadLimits {
  readonly kinds: ReadonlyMap<string, number>;
  readonly resources: ReadonlyMap<string, number>;
  readonly rates: ReadonlyMap<string, RateLimit>;
}

/** @param option its name, for errors @throws RuntimeError INVALID_OPTION */
export function readLimits(given: RunLimits = {}, option: string): ReadLimits {
  checkKeys(option, given, ["kinds", "resources", "rates"]);
  checkKeys(`${option}.kinds`, given.kinds, executionKinds);
  for (const name of ["resources", "rates"] as const) checkRecord(`${option}.${name}`, given[name]);
  const kinds = counts(`${option}.kinds`, given.kinds);
  const resources = counts(`${option}.resources`, given.resources);
  const rates = new Map(Object.entries(given.rates ?? {}));
  for (const [id, rate] of rates) {
    checkKeys(`${option}.rates.${id}`, rate, ["limit", "intervalMs"]);
    checkCount(`${option}.rates.${id}.limit`, rate.limit === Number.POSITIVE_INFINITY ? 0 : rate.limit);
    if (!(rate.intervalMs > 0)) throw invalid(`${option}.rates.${id}.intervalMs`, "a number above 0", rate.intervalMs);
  }
  return { kinds, resources, rates };
}

/** An integer of at least 1, or `Infinity`. @throws RuntimeError INVALID_OPTION */
export function checkCount(option: string, value: unknown): void {
  if (value === Number.POSITIVE_INFINITY) return;
  if (!Number.isInteger(value) || (value as number) < 1) throw invalid(option, "an integer of at least 1", value);
}

function counts(option: string, record: Readonly<Record<string, number>> | undefined): Map<string, number> {
  const entries = Object.entries(record ?? {});
  for (const [name, value] of entries) checkCount(`${option}.${name}`, value);
  return new Map(entries);
}
