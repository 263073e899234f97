import { checksOf } from "@planloom/plan";
import { stricterConfirm } from "./confirm.ts";
import { type NamesWith, namesWith, optionNames, runOptionChecks, runOptionTable } from "./options/run-option-table.ts";
import type { Budget } from "./ports/amounts.ts";
import type { BudgetOptions } from "./ports/budget.ts";
import { type GuardPolicy, readGuardPolicy } from "./ports/guard-policy.ts";
import type { RateLimit } from "./ports/token-bucket.ts";
import type { RunLimits } from "./run-limits.ts";
import type { OnUnknown, RunOptions } from "./run-settings.ts";

const lowest = namesWith({ stricter: "lower" });

/** What a program requires of every run, in addition to the options the run was begun with. */
export type AtLeast = Pick<RunOptions, NamesWith<{ readonly stricter: string }>>;

const stricterNames = optionNames.filter((name): name is keyof AtLeast => "stricter" in runOptionTable[name]);
/** The checks of these options, which are those of the options of a run. */
export const atLeastChecks = checksOf(runOptionChecks, stricterNames);

/**
 * The stored options of a run, combined with those of the program that resumes it: of each item the stricter holds. Gates are added up; of
 * limits, budgets, caps and time limits the lower one holds, each by its own name; a check that either asks for is made.
 */
export function withStricter(options: RunOptions, atLeast: AtLeast): RunOptions {
  const numbers = lowest.flatMap((name) => {
    const value = lower(options[name], atLeast[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  const { approval = {}, budgets, guards } = options;
  return {
    ...options,
    ...Object.fromEntries(numbers),
    limits: stricterLimits(options.limits ?? {}, atLeast.limits ?? {}),
    budgets: stricterBudgets(budgets, atLeast.budgets),
    confirm: stricterConfirm(options.confirm, atLeast.confirm),
    onUnknown: stricterUnknown(options.onUnknown, atLeast.onUnknown),
    guards: stricterGuards(readGuardPolicy(guards), readGuardPolicy(atLeast.guards)),
    approval: {
      ...approval,
      resources: [...new Set([...(approval.resources ?? []), ...(atLeast.approval?.resources ?? [])])],
      expiresAfterMs: lower(approval.expiresAfterMs, atLeast.approval?.expiresAfterMs) ?? Number.POSITIVE_INFINITY,
    },
  };
}

function lower(a: number | undefined, b: number | undefined): number | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return Math.min(a, b);
}

/** From what repeats most to what repeats least. */
const onUnknown: readonly OnUnknown[] = ["retry", "ask", "fail"];

function stricterUnknown(a: OnUnknown | undefined, b: OnUnknown | undefined): OnUnknown | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return onUnknown.indexOf(a) > onUnknown.indexOf(b) ? a : b;
}

type ById<Value> = Readonly<Record<string, Value>>;

/** By id, where `tool` and `server/tool` may mean one resource: what is said of either holds for both. */
function byId<Value>(a: ById<Value> = {}, b: ById<Value> = {}, stricter: (x: Value, y: Value) => Value): ById<Value> {
  const merged = new Map<string, Value>();
  for (const id of [...Object.keys(a), ...Object.keys(b)]) {
    const values = [a, b].flatMap((each) =>
      Object.entries(each).flatMap(([other, value]) => (meansSame(id, other) ? [value] : [])),
    );
    merged.set(id, values.reduce(stricter));
  }
  return Object.fromEntries(merged);
}

function meansSame(id: string, other: string): boolean {
  return id === other || id.endsWith(`/${other}`) || other.endsWith(`/${id}`);
}

function stricterLimits(a: RunLimits, b: RunLimits): RunLimits {
  return {
    kinds: byId<number>(a.kinds, b.kinds, (x, y) => Math.min(x, y)),
    resources: byId(a.resources, b.resources, (x, y) => Math.min(x, y)),
    rates: byId(a.rates, b.rates, stricterRate),
  };
}

/** The one that lets fewer calls through in the long run; of equal ones, at once. */
function stricterRate(a: RateLimit, b: RateLimit): RateLimit {
  const [of, other] = [a.limit / a.intervalMs, b.limit / b.intervalMs];
  if (of !== other) return of < other ? a : b;
  return a.limit <= b.limit ? a : b;
}

function stricterBudgets(a: BudgetOptions | undefined, b: BudgetOptions | undefined): BudgetOptions | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  return {
    ...((a.run ?? b.run) && { run: stricterBudget(a.run ?? {}, b.run ?? {}) }),
    subgraphs: byId(a.subgraphs, b.subgraphs, stricterBudget),
    resources: byId(a.resources, b.resources, stricterBudget),
    ...(a.trustPlanEstimates === true && b.trustPlanEstimates === true && { trustPlanEstimates: true }),
  };
}

function stricterBudget(a: Budget, b: Budget): Budget {
  const units = ["calls", "tokens", "cost", "seconds"] as const;
  return lowestOf(units, a, b);
}

function lowestOf<Name extends string>(
  names: readonly Name[],
  a: Readonly<Partial<Record<Name, number>>>,
  b: Readonly<Partial<Record<Name, number>>>,
): Partial<Record<Name, number>> {
  const entries = names.flatMap((name) => {
    const value = lower(a[name], b[name]);
    return value === undefined ? [] : [[name, value] as const];
  });
  return Object.fromEntries(entries) as Partial<Record<Name, number>>;
}

function stricterGuards(a: GuardPolicy | undefined, b: GuardPolicy | undefined): GuardPolicy | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const caps = lowestOf(["discovery", "execution", "total"], a, b);
  // 0 is none there.
  const perTool = lower(a.perToolCap || undefined, b.perToolCap || undefined);
  const [precondition, other] = [a.precondition, b.precondition];
  const both: GuardPolicy["precondition"] =
    precondition && other && precondition !== other
      ? (call) => precondition(call) ?? other(call)
      : (precondition ?? other);
  const classify = a.classify ?? b.classify;
  return {
    ...caps,
    ...(perTool !== undefined && { perToolCap: perTool }),
    tools: byId(a.tools, b.tools, (x, y) => Math.min(x, y)),
    ...(both !== undefined && { precondition: both }),
    ...((a.groundedNumbers || b.groundedNumbers) && { groundedNumbers: true }),
    ...(classify !== undefined && { classify }),
  };
}
