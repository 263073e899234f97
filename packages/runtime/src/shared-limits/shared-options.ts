import { isRecord, type OptionChecks } from "@planloom/plan";
import { checkKeys, checkRecord } from "../check-keys.ts";
import { checkOptions } from "../check-options.ts";
import { invalid } from "../invalid-option.ts";
import type { Journal } from "../journal/journal.ts";
import { scopeChecks, tenantChecks } from "../options/nested-checks.ts";
import type { Budget } from "../ports/amounts.ts";
import { checkBudget } from "../ports/budget.ts";
import { checkWeight } from "../ports/run-claim.ts";
import { checkCount, type ReadLimits, type RunLimits, readLimits } from "../run-limits.ts";

/** What may be spent by several runs together. */
export interface SharedBudget extends Budget {
  /**
   * Length of a window in milliseconds: what was spent is forgotten when the window is over, and the next one begins. Windows follow one
   * another from the first call on. @default Infinity: what is spent does not come back
   */
  readonly perMs?: number;
}

/** Budgets of several runs together. A call that finds nothing left is not made, and its task is skipped (`TASK_BUDGET`). */
export interface SharedBudgets {
  /** Of all calls. */
  readonly total?: SharedBudget;
  /** By id of the resource, as `limits.resources`. */
  readonly resources?: Readonly<Record<string, SharedBudget>>;
}

/** What the runs of one tenant may do together. What is left out is not limited. */
export interface TenantLimits {
  /** Calls at once, an integer of at least 1, or `Infinity`. */
  readonly concurrency?: number;
  /** Calls at once by kind and resource, and calls in a time. */
  readonly limits?: RunLimits;
  readonly budgets?: SharedBudgets;
  /** The most runs in progress; further ones wait in a queue. @default `concurrency` where `maxQueuedRuns` is given, else `Infinity` */
  readonly maxRuns?: number;
  /** Runs that may wait in the queue, an integer of at least 0: one more is refused (`RUNTIME_QUEUE_FULL`). @default 1_000 */
  readonly maxQueuedRuns?: number;
  /**
   * Its share of turns beside other tenants, above 0: where both have calls that wait, three calls of a tenant with 3 are let in for each one of a tenant
   * with 1, and as many of its queued runs begin. @default 1
   */
  readonly weight?: number;
}

/** Limits of one tenant, handed in with a run. They hold for the tenant until another run of it is given others. */
export interface TenantOptions extends TenantLimits {
  /** Names the tenant. Runs with the same key are counted together. */
  readonly key: string;
}

/** What all runs that share one `SharedLimits` may do together. What is left out is not limited. */
export interface SharedLimitsOptions extends Omit<TenantLimits, "weight"> {
  /** Limits of single tenants, by key. A run can only narrow them. */
  readonly tenants?: Readonly<Record<string, TenantLimits>>;
  /** Limits of each tenant that `tenants` does not name. @default none */
  readonly eachTenant?: TenantLimits;
  /**
   * Holds them over all processes that are given the same journal here, not over this one alone: give each the same limits. A function is
   * called when the first run begins. Only a journal with `openLimits` can (SQLite in a file; the one in memory, for tests).
   * @default of this process alone
   */
  readonly journal?: Journal | (() => Promise<Journal>);
}

tenantChecks satisfies OptionChecks<TenantLimits>;

const checks = {
  ...scopeChecks,
  tenants: { each: tenantChecks },
  eachTenant: { options: tenantChecks },
  journal: "own",
} as const satisfies OptionChecks<SharedLimitsOptions>;

/** Limits of one scope, with their defaults in place. */
export interface ReadScope {
  readonly concurrency: number;
  readonly limits: ReadLimits;
  readonly budgets: SharedBudgets;
  readonly maxRuns: number;
  readonly maxQueuedRuns: number;
  /** Undefined where none is said. */
  readonly weight: number | undefined;
}

/** @throws RuntimeError INVALID_OPTION */
export function readSharedOptions(options: SharedLimitsOptions): {
  readonly all: ReadScope;
  readonly tenants: ReadonlyMap<string, ReadScope>;
  readonly eachTenant: ReadScope;
} {
  checkOptions("`SharedLimits`", options, checks);
  const { tenants, eachTenant = {}, journal: _, ...all } = options;
  const read = Object.entries(tenants ?? {}).map(([key, given]) => [key, readScope(given, `tenants.${key}.`)] as const);
  return { all: readScope(all, ""), tenants: new Map(read), eachTenant: readScope(eachTenant, "eachTenant.") };
}

/** The option `tenant` of a run. @throws RuntimeError INVALID_OPTION */
export function readTenant(given: string | TenantOptions): { readonly key: string; readonly limits?: ReadScope } {
  if (typeof given === "string") return { key: checkTenantKey("tenant", given) };
  if (!isRecord(given)) throw invalid("tenant", "a key, or { key, concurrency, limits, budgets, … }", given);
  checkOptions("a tenant", given, { ...tenantChecks, key: "own" });
  const { key, ...limits } = given;
  checkTenantKey("tenant.key", key);
  return Object.keys(limits).length === 0 ? { key } : { key, limits: readScope(limits, "tenant.") };
}

function checkTenantKey(option: string, key: unknown): string {
  if (typeof key !== "string" || key === "") throw invalid(option, "a text that is not empty", key);
  return key;
}

function readScope(given: TenantLimits, prefix: string): ReadScope {
  const isObject: boolean = isRecord(given);
  if (!isObject) throw invalid(prefix.slice(0, -1), "an object of limits", given);
  const { concurrency = Number.POSITIVE_INFINITY, limits = {}, budgets = {}, maxQueuedRuns = 1_000, weight } = given;
  checkCount(`${prefix}concurrency`, concurrency);
  const { maxRuns = given.maxQueuedRuns === undefined ? Number.POSITIVE_INFINITY : concurrency } = given;
  if (given.maxQueuedRuns !== undefined && given.maxRuns === undefined && given.concurrency === undefined)
    throw invalid(`${prefix}maxRuns`, "given where `maxQueuedRuns` is: no run waits without it", undefined);
  checkCount(`${prefix}maxRuns`, maxRuns);
  if (maxQueuedRuns !== Number.POSITIVE_INFINITY && !(Number.isInteger(maxQueuedRuns) && maxQueuedRuns >= 0))
    throw invalid(`${prefix}maxQueuedRuns`, "an integer of at least 0", maxQueuedRuns);
  if (weight !== undefined) checkWeight(`${prefix}weight`, weight);
  checkSharedBudgets(`${prefix}budgets`, budgets);
  return { concurrency, limits: readLimits(limits, `${prefix}limits`), budgets, maxRuns, maxQueuedRuns, weight };
}

function checkSharedBudgets(option: string, budgets: SharedBudgets): void {
  checkKeys(option, budgets, ["total", "resources"]);
  checkRecord(`${option}.resources`, budgets.resources);
  const all = new Map(Object.entries(budgets.resources ?? {}).map(([id, one]) => [`${option}.resources.${id}`, one]));
  if (budgets.total !== undefined) all.set(`${option}.total`, budgets.total);
  for (const [name, budget] of all) {
    checkBudget(name, budget, ["perMs"]);
    const { perMs = 1 } = budget;
    if (!(typeof perMs === "number" && perMs > 0)) throw invalid(`${name}.perMs`, "a number above 0", perMs);
  }
}
