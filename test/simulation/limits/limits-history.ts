import type { SharedLimitsOptions, TenantLimits } from "@planloom/runtime";
import { limitedTool } from "./limits-scenario.ts";

/** What happened in a world of shared limits, in order. Times are milliseconds of the world. */
export type LimitsEvent = { readonly atMs: number; readonly process: string } & (
  | { readonly type: "kill" | "stop" | "locked" | "calm" }
  /** The outside world sees a call begin or end. */
  | { readonly type: "call-begin" | "call-end"; readonly tenant: string | undefined; readonly call: string }
  | { readonly type: "run-begin" | "run-end"; readonly tenant: string | undefined; readonly run: string }
);

/**
 * What was promised and not kept: calls and runs at once, calls in any interval, and calls at all, of everybody and of each tenant. Whatever
 * a killed process did ends when it is killed.
 * @param quietMs how long nothing may happen after all was calm while something is left to do
 * @param jitterMs what may go by between the permission of a rate and the call, which asks for its budget in between
 */
export function checkLimitsHistory(
  history: readonly LimitsEvent[],
  limits: SharedLimitsOptions,
  { quietMs, jitterMs }: { readonly quietMs: number; readonly jitterMs: number },
): string[] {
  const problems = scopeProblems("all", history, limits, jitterMs);
  const tenants = new Set(history.flatMap((event) => ("tenant" in event && event.tenant ? [event.tenant] : [])));
  for (const tenant of tenants) {
    const own = history.filter((event) => !("tenant" in event) || event.tenant === tenant);
    problems.push(...scopeProblems(tenant, own, limits.eachTenant ?? {}, jitterMs));
  }
  const calmAt = history.find(({ type }) => type === "calm")?.atMs ?? Number.POSITIVE_INFINITY;
  for (const [at, { atMs }] of history.entries()) {
    const beforeMs = Math.max(calmAt, history[at - 1]?.atMs ?? atMs);
    if (atMs - beforeMs > quietMs) problems.push(`nothing happened for ${atMs - beforeMs} ms before ${atMs} ms`);
  }
  return problems;
}

function scopeProblems(
  scope: string,
  history: readonly LimitsEvent[],
  limits: TenantLimits,
  jitterMs: number,
): string[] {
  const { concurrency = Number.POSITIVE_INFINITY, maxRuns = Number.POSITIVE_INFINITY, budgets } = limits;
  const ofTool = limits.limits?.resources?.[limitedTool] ?? Number.POSITIVE_INFINITY;
  const problems: string[] = [];
  const calls = most(history, "call");
  const atOnce = Math.min(concurrency, ofTool);
  if (calls > atOnce) problems.push(`${scope}: ${calls} calls at once, ${atOnce} are allowed`);
  const runs = most(history, "run");
  if (runs > maxRuns) problems.push(`${scope}: ${runs} runs at once, ${maxRuns} are allowed`);
  const begun = history.filter(({ type }) => type === "call-begin").map(({ atMs }) => atMs);
  const budget = budgets?.total?.calls ?? Number.POSITIVE_INFINITY;
  if (begun.length > budget) problems.push(`${scope}: ${begun.length} calls, the budget has ${budget}`);
  const rate = limits.limits?.rates?.[limitedTool];
  for (let at = rate?.limit ?? begun.length; at < begun.length; at++) {
    const withinMs = begun[at]! - begun[at - rate!.limit]!;
    if (withinMs < rate!.intervalMs - jitterMs - 1e-6)
      problems.push(`${scope}: ${rate!.limit + 1} calls within ${withinMs} ms at ${begun[at]} ms`);
  }
  return problems;
}

/** The most calls, or runs, that went on at one time. */
function most(history: readonly LimitsEvent[], what: "call" | "run"): number {
  const open = new Map<string, string>();
  let most = 0;
  for (const event of history) {
    const id = what === "call" ? "call" in event && event.call : "run" in event && event.run;
    if (event.type === "kill") {
      for (const [name, process] of open) if (process === event.process) open.delete(name);
    } else if (typeof id === "string" && event.type.endsWith("-begin")) {
      open.set(id, event.process);
      most = Math.max(most, open.size);
    } else if (typeof id === "string") open.delete(id);
  }
  return most;
}
