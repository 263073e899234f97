import { callKinds } from "../call-kinds.ts";
import { executorEstimate } from "../estimate-of.ts";
import type { PreparedStep } from "../input/prepare-step.ts";
import type { Account, Need, Wanted } from "../shared-limits/budget-accounts.ts";
import { defaultSeconds } from "./seconds-meter.ts";

/** The most that one call of a resource was seen to use in this run. */
export interface SeenUse {
  readonly tokens: number;
  readonly cost: number;
}

/**
 * The amounts that are reserved for a call, unit by unit. The executor's estimate is trusted, since it is code of the user's. `estimate_data` of
 * the task comes from a plan, so often from a model: it may raise that amount, never lower it. Where the executor gives no estimate,
 * a call that may spend gets all that is left, and so runs alone. An estimate that a call of the resource was seen to exceed
 * is raised to what that call used, as far as it is left. Time is reserved bit by bit while a call runs; this is the first part.
 * @param seen absent where no call of the resource has spent anything yet
 * @param trustPlan `budgets.trustPlanEstimates`: the task's estimate goes before the executor's
 */
export function callNeeds(
  prepared: PreparedStep,
  accounts: readonly Account[],
  seen: SeenUse | undefined,
  trustPlan: boolean,
): Wanted & { readonly seconds: Need } {
  const own = executorEstimate(prepared, prepared.step.input_data);
  const planned = prepared.task.estimate_data ?? undefined;
  const mayUseAny = callKinds[prepared.kind].spendsTokens || seen !== undefined;
  const spending = (unit: "tokens" | "cost"): Need => {
    const claimed = amount(planned?.[unit]) ?? 0;
    const estimated = trustPlan ? (amount(planned?.[unit]) ?? amount(own?.[unit])) : amount(own?.[unit]);
    const least = Math.max(estimated ?? 0, claimed);
    if (estimated === undefined) return { least, most: mayUseAny ? Number.POSITIVE_INFINITY : least };
    return { least, most: Math.max(least, seen?.[unit] ?? 0) };
  };
  const seconds = Math.max(
    firstSeconds(amount(own?.duration_ms), amount(planned?.duration_ms), accounts, trustPlan),
    0.001,
  );
  return {
    calls: { least: 1, most: 1 },
    tokens: spending("tokens"),
    cost: spending("cost"),
    seconds: { least: seconds, most: seconds },
  };
}

function firstSeconds(
  ownMs: number | undefined,
  plannedMs: number | undefined,
  accounts: readonly Account[],
  trustPlan: boolean,
): number {
  if (trustPlan && plannedMs !== undefined) return plannedMs / 1_000;
  const plannedSeconds = (plannedMs ?? 0) / 1_000;
  if (ownMs !== undefined) return Math.max(ownMs / 1_000, plannedSeconds);
  let part = defaultSeconds;
  for (const { limit, spent } of accounts) part = Math.min(part, limit.seconds - spent.seconds);
  return Math.max(part, plannedSeconds);
}

/** The estimate if it is a valid amount, else undefined. */
function amount(value: unknown): number | undefined {
  return typeof value === "number" && value >= 0 ? value : undefined;
}
