import {
  type Budget,
  type BudgetOptions,
  type Journal,
  type RunLimits,
  type RunOptions,
  type SharedBudget,
  SharedLimits,
  type SharedLimitsOptions,
  type TenantLimits,
} from "@planloom/runtime";

/** Budgets of an instance: `total` and `resources` of all its runs together, `run` and `subgraphs` of each run. */
export interface InstanceBudgets extends Omit<BudgetOptions, "resources"> {
  /** Of all runs together. */
  readonly total?: SharedBudget;
  /** Of all runs together, by id of the resource. */
  readonly resources?: Readonly<Record<string, SharedBudget>>;
}

/** What all runs of an instance may do together. An option that is left out limits nothing. */
export interface InstanceLimits {
  /** Calls at once, of all runs together and so of each, an integer of at least 1, or `Infinity`. @default 4 for each run, no limit for all */
  readonly concurrency?: number | undefined;
  /** Calls at once by kind and resource, and calls in a time, of all runs together and so of each. @default none beside `concurrency` */
  readonly limits?: RunLimits | undefined;
  /** What may be spent: by all runs together (`total`, `resources`), and by each (`run`, `subgraphs`). @default unlimited */
  readonly budgets?: InstanceBudgets | undefined;
  /** The most runs in progress; further ones wait in a queue. @default `concurrency` where `maxQueuedRuns` is given, else `Infinity` */
  readonly maxRuns?: number | undefined;
  /** Runs that may wait in the queue: one more is refused (RuntimeError QUEUE_FULL). @default 1_000 */
  readonly maxQueuedRuns?: number | undefined;
  /** Limits of single tenants over all of their runs, by the key that runs give as `tenant`. @default none */
  readonly tenants?: Readonly<Record<string, TenantLimits>> | undefined;
  /** Limits of each tenant that `tenants` does not name. @default none */
  readonly eachTenant?: TenantLimits | undefined;
  /**
   * The runs that these limits hold for: the runs of this instance alone (`"instance"`), or those of all instances, in all processes of the machine,
   * with the same SQLite file as `journal` and the same `limitScope` (`"journal"`). Give each the same limits. @default "instance"
   */
  readonly limitScope?: "instance" | "journal" | undefined;
}

/**
 * The limits of all runs of an instance.
 * @param journal where they are kept, if they hold over the instances of a journal
 * @throws RuntimeError INVALID_OPTION
 */
export function sharedLimitsOf(
  { budgets = {}, ...options }: InstanceLimits,
  journal: () => Promise<Journal>,
): SharedLimits {
  const { concurrency, limits, maxRuns, maxQueuedRuns, tenants, eachTenant, limitScope = "instance" } = options;
  const { total, resources } = budgets;
  const given = {
    concurrency,
    limits,
    budgets: definedOf({ total, resources }),
    maxRuns,
    maxQueuedRuns,
    tenants,
    eachTenant,
    journal: limitScope === "journal" ? journal : undefined,
  };
  return new SharedLimits(definedOf(given) as SharedLimitsOptions);
}

type Limited = Pick<RunOptions, "concurrency" | "limits" | "budgets">;

/**
 * The limits of one run: those of the instance, which the options of a run only narrow. Rates, and budgets of all runs, are kept by
 * the shared limits alone.
 */
export function limitsOfRun(instance: InstanceLimits, given: Limited): Limited {
  const { total: _, resources: __, ...ofEachRun } = instance.budgets ?? {};
  const budgets = narrowedBudgets(ofEachRun, given.budgets);
  const { rates: ___, ...atOnce } = instance.limits ?? {};
  const limits = narrowedLimits(atOnce, given.limits);
  const concurrency = lowest(instance.concurrency, given.concurrency);
  return {
    ...(concurrency !== undefined && { concurrency }),
    ...(limits !== undefined && { limits }),
    ...(budgets !== undefined && { budgets }),
  };
}

/** As `limitsOfRun`, for a run that has limits from its beginning: only what is given now. */
export function limitsOfResumption(instance: InstanceLimits, given: Limited): Limited {
  const narrowed = limitsOfRun(instance, given);
  const names = ["concurrency", "limits", "budgets"] as const;
  return Object.fromEntries(names.filter((name) => given[name] !== undefined).map((name) => [name, narrowed[name]]));
}

function narrowedLimits(instance: RunLimits, given: RunLimits | undefined): RunLimits | undefined {
  // The run reports what is not an object.
  if (typeof given !== "object" || given === null)
    return given ?? (Object.keys(instance).length > 0 ? instance : undefined);
  const kinds = lowestOf(instance.kinds, given.kinds);
  const resources = lowestOf(instance.resources, given.resources);
  return { ...given, ...(kinds && { kinds }), ...(resources && { resources }) };
}

function narrowedBudgets(instance: BudgetOptions, given: BudgetOptions | undefined): BudgetOptions | undefined {
  if (typeof given !== "object" || given === null)
    return given ?? (Object.keys(instance).length > 0 ? instance : undefined);
  const run = narrowedBudget(instance.run, given.run);
  const ids = new Set([...Object.keys(instance.subgraphs ?? {}), ...Object.keys(given.subgraphs ?? {})]);
  const subgraphs = [...ids].map((id) => [id, narrowedBudget(instance.subgraphs?.[id], given.subgraphs?.[id])]);
  return {
    ...instance,
    ...given,
    ...(run !== undefined && { run }),
    ...(subgraphs.length > 0 && { subgraphs: Object.fromEntries(subgraphs) }),
  };
}

function narrowedBudget(a: Budget | undefined, b: Budget | undefined): Budget | undefined {
  return a === undefined || b === undefined ? (a ?? b) : lowestOf(a, b);
}

/** The lower of two numbers for each name. A value that is not a number is kept, so that it is refused when it is checked. */
function lowestOf<Numbers extends object>(a: Numbers | undefined, b: Numbers | undefined): Numbers | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const both = Object.entries(b).map(([name, value]) => [name, lowest((a as Record<string, number>)[name], value)]);
  return { ...a, ...Object.fromEntries(both) };
}

function lowest(a: number | undefined, b: number | undefined): number | undefined {
  if (typeof a !== "number" || typeof b !== "number") return b ?? a;
  // What is not in range is refused, not raised.
  return b < 1 || Number.isNaN(b) ? b : Math.min(a, b);
}

function definedOf(options: object): object {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}
