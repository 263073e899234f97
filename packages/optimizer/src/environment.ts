import type { OptionChecks, PlanView } from "@planloom/plan";
import { checkOptions } from "./check-options.ts";
import type { DispatchRate } from "./dispatch-rate.ts";
import { OptimizerError, OptimizerErrorCode } from "./errors.ts";

export const dispatchSemantics = ["atomic", "pipelined", "streaming"] as const;

/**
 * `atomic`: a subgraph starts when all subgraphs it depends on have ended, runs its tasks on one executor and publishes
 * its outputs at the end. `pipelined`: every task publishes its output when it ends, and a subgraph starts when all outputs of others that its tasks read are there, while
 * the subgraphs that make them may still run. `streaming`: as `pipelined`, but a subgraph takes an executor as soon as one of its tasks could run, and holds it while the next one waits
 * for others.
 */
export type DispatchSemantics = (typeof dispatchSemantics)[number];

/** What money is asked for, in any one currency. */
export interface Prices {
  /** @default 0 */
  readonly perDispatch?: number;
  /** @default 0 */
  readonly perMillionTokens?: number;
  /** Of one busy executor. @default 0 */
  readonly perExecutorHour?: number;
}

/** What holds for executors of one kind. Absent fields are at their defaults. */
export interface ExecutorLimits {
  /** Tasks at once within one subgraph, at least 1. @default 1 */
  readonly slots?: number;
  /** Prompt tokens that every dispatch costs before the first task's own. @default 0 */
  readonly baseTokens?: number;
  /** Prompt tokens that one dispatch may hold, `baseTokens` included; `Infinity` for no limit. @default Infinity */
  readonly contextTokens?: number;
  /** Bytes that one dispatch may hold until it ends: outputs of its tasks, and once each output of others that they read; `Infinity` for no limit. @default Infinity */
  readonly memoryBytes?: number;
  /** @default nothing costs money */
  readonly prices?: Prices;
}

export interface ExecutorClass extends ExecutorLimits {
  /** For people; unique among the classes. */
  readonly name: string;
  /** Subgraphs at once on executors of this class, at least 1; `Infinity` is allowed. */
  readonly count: number;
  /** Milliseconds a dispatch costs here. */
  readonly overheadMs: number;
  /** Work a millisecond: a task of a second takes half of one at 2. Overheads and penalties take what they take. Above 0. @default 1 */
  readonly speed?: number;
  /** Numbers of the task classes (`PlanView.affinity`) that run here. @default all */
  readonly serves?: readonly number[];
}

/**
 * Where the subgraphs will be dispatched. The first three fields alone are a whole environment: equal executors, one task
 * at a time, nothing limited.
 */
export interface ExecutionEnvironment extends ExecutorLimits {
  /** @default "atomic" */
  readonly semantics: DispatchSemantics;
  /** Subgraphs at once, at least 1; `Infinity` is allowed. With `classes`: their sum. @default 4 */
  readonly executors: number;
  /** What one dispatch costs before its first task starts, in milliseconds; it occupies the executor. With `classes`: the least of theirs. */
  readonly overheadMs: number;
  /**
   * What each task costs its executor beside its own duration, in milliseconds. Optimizers add it to the duration of every task; functions that take a `PlanView` go by the
   * durations that are in it. @default 0
   */
  readonly taskOverheadMs?: number;
  /** Milliseconds until an output is at another executor, however small it is. @default 0 */
  readonly latencyMs?: number;
  /** Bytes a millisecond between executors. @default Infinity */
  readonly bytesPerMs?: number;
  /** Whether tasks of different classes may share a subgraph: `hard` never, `soft` at `affinityPenaltyMs`. @default "none" */
  readonly affinity?: "none" | "soft" | "hard";
  /** What each further task class in one subgraph costs, in milliseconds; only with `soft`. @default 0 */
  readonly affinityPenaltyMs?: number;
  /** How many dispatches may begin in a time, on all executors together. @default as many as there are free executors */
  readonly dispatchRate?: DispatchRate;
  /** Tasks one subgraph may hold: limits what has to be reviewed or repeated at once. @default Infinity */
  readonly maxTasks?: number;
  /** Classes of executors, where they differ; replaces `executors`, `overheadMs` and the other limits. */
  readonly classes?: readonly ExecutorClass[];
  /**
   * Bytes a millisecond from an executor of one class to one of another, `rates[from][to]` by the numbers of the classes; `rates[c][c]` between two executors of one class. A
   * class for each machine makes it a rate for each link. Only with `classes`; replaces `bytesPerMs`, which becomes the greatest of them. @default `bytesPerMs` for all
   */
  readonly rates?: readonly (readonly number[])[];
}

/**
 * As `ExecutionEnvironment`, with every field left to its default where absent, and with costs that can be given in terms of
 * the plan.
 */
export type EnvironmentInput = {
  readonly [field in keyof ExecutionEnvironment]?: ExecutionEnvironment[field] | undefined;
} & {
  /** The overhead in mean task estimates of the plan, where `overheadMs` is left out. @default 1 */
  readonly overheadFactor?: number | undefined;
  /**
   * Communication to computation: what sending the mean output takes, in mean task estimates, where `bytesPerMs` is left out.
   * 0 sends in no time, and so does a plan whose outputs have no size. @default 0
   */
  readonly ccr?: number | undefined;
};

const priceChecks = {
  perDispatch: "own",
  perMillionTokens: "own",
  perExecutorHour: "own",
} as const satisfies OptionChecks<Prices>;
const limitChecks = {
  slots: "own",
  baseTokens: "own",
  contextTokens: "own",
  memoryBytes: "own",
  prices: { options: priceChecks },
} as const satisfies OptionChecks<ExecutorLimits>;
const classChecks = {
  ...limitChecks,
  name: "own",
  count: "own",
  overheadMs: "own",
  speed: "own",
  serves: "own",
} as const satisfies OptionChecks<ExecutorClass>;

const rateChecks = { limit: "own", intervalMs: "own" } as const satisfies OptionChecks<DispatchRate>;

/** The names of all fields; values are checked by `completeEnvironment`, which knows the plan. */
export const environmentChecks = {
  ...limitChecks,
  semantics: "own",
  executors: "own",
  overheadMs: "own",
  taskOverheadMs: "own",
  latencyMs: "own",
  bytesPerMs: "own",
  affinity: "own",
  affinityPenaltyMs: "own",
  dispatchRate: { options: rateChecks },
  maxTasks: "own",
  classes: { eachOf: classChecks },
  rates: "own",
  overheadFactor: "own",
  ccr: "own",
} as const satisfies OptionChecks<EnvironmentInput>;

/**
 * Fills the defaults: atomic, 4 executors, an overhead of the mean task estimate (asking an agent costs about as much
 * as one task, and never nothing). With `classes`, the summary fields become what is true of all of them together: the sum
 * of executors, the least overhead, the most of slots and context; what bounds a plan in this summary bounds it in the classes.
 * @throws OptimizerError `OPTIMIZER_ENVIRONMENT` for a field out of range, for `streaming` with what it does not
 * model (classes, slots, transfer times, affinity penalties and a rate of dispatches), and for `pipelined` with transfer times.
 */
export function completeEnvironment(view: PlanView, input: EnvironmentInput = {}): ExecutionEnvironment {
  checkOptions("an environment", input, environmentChecks);
  const { semantics = "atomic", classes, overheadFactor = 1, ccr = 0, ...own } = input;
  if (!dispatchSemantics.includes(semantics)) {
    throw wrong("semantics", '"atomic", "pipelined" or "streaming"', semantics);
  }
  if (own.affinity !== undefined && !["none", "soft", "hard"].includes(own.affinity)) {
    throw wrong("affinity", '"none", "soft" or "hard"', own.affinity);
  }
  if (classes !== undefined && (!Array.isArray(classes) || classes.length === 0)) {
    throw wrong("classes", "a list of at least one class", classes);
  }
  classes?.forEach((each, at) => {
    checkRanges(each, `classes[${at}].`, "count");
    if (each.serves !== undefined && !each.serves.every((task: number) => Number.isInteger(task) && task >= 0))
      throw wrong(`classes[${at}].serves`, "a list of task class numbers", each.serves);
  });
  checkRates(own.rates, classes);
  checkDispatchRate(own.dispatchRate);
  for (const [at, { prices }] of [own, ...(classes ?? [])].entries()) {
    if (prices !== undefined) checkRanges(prices, at === 0 ? "prices." : `classes[${at - 1}].prices.`);
  }
  checkRanges({ overheadFactor, ccr }, "", "overheadFactor");
  const meanMs = mean(view.work);
  const meanBytes = ccr === 0 ? 0 : mean(view.outBytes);
  const environment = {
    ...(ccr > 0 && meanMs > 0 && meanBytes > 0 ? { bytesPerMs: meanBytes / (ccr * meanMs) } : {}),
    ...defined(own),
    semantics,
    executors: own.executors ?? 4,
    overheadMs: own.overheadMs ?? overheadFactor * meanMs,
    ...(classes === undefined ? {} : { classes, ...summary(classes) }),
    ...(own.rates === undefined ? {} : { bytesPerMs: Math.max(...own.rates.flat()) }),
  };
  checkRanges(environment, "", "executors");
  if (semantics === "streaming" && !isPlain(environment)) {
    throw wrong(
      "semantics",
      '"atomic" or "pipelined" with classes, slots, affinity penalties or a rate of dispatches, and "atomic" with transfer times',
      semantics,
    );
  }
  if (semantics === "pipelined" && hasTransfers(environment))
    throw wrong("semantics", '"atomic" where outputs take time to another executor', semantics);
  return environment;
}

/** Only equal executors that run one task at a time, with outputs there at once and no rate of dispatches: what the fast simulators model. */
export function isPlain(environment: ExecutionEnvironment): boolean {
  const { classes, slots = 1, latencyMs = 0, bytesPerMs = Number.POSITIVE_INFINITY } = environment;
  const { affinity, affinityPenaltyMs = 0, dispatchRate } = environment;
  const penalised = affinity === "soft" && affinityPenaltyMs > 0;
  return (
    classes === undefined &&
    slots === 1 &&
    latencyMs === 0 &&
    bytesPerMs === Number.POSITIVE_INFINITY &&
    !penalised &&
    dispatchRate === undefined
  );
}

/** Whether outputs take any time to another executor. */
export function hasTransfers(environment: ExecutionEnvironment): boolean {
  const { latencyMs = 0, bytesPerMs = Number.POSITIVE_INFINITY, rates = [] } = environment;
  const isLimited = (rate: number) => rate !== Number.POSITIVE_INFINITY;
  return latencyMs > 0 || isLimited(bytesPerMs) || rates.some((row) => row.some(isLimited));
}

/** Whether a partition can be invalid for another reason than its shape and cycles. */
export function isLimited(environment: ExecutionEnvironment): boolean {
  const {
    contextTokens = Number.POSITIVE_INFINITY,
    memoryBytes = Number.POSITIVE_INFINITY,
    maxTasks = Number.POSITIVE_INFINITY,
    affinity,
    classes,
  } = environment;
  return (
    contextTokens !== Number.POSITIVE_INFINITY ||
    memoryBytes !== Number.POSITIVE_INFINITY ||
    maxTasks !== Number.POSITIVE_INFINITY ||
    affinity === "hard" ||
    (classes?.some(isLimitedClass) ?? false)
  );
}

function isLimitedClass({ serves, contextTokens = Infinity, memoryBytes = Infinity }: ExecutorClass): boolean {
  return serves !== undefined || contextTokens !== Infinity || memoryBytes !== Infinity;
}

/** The executors as a list of classes; of one class in an environment without any. */
export function executorClasses(environment: ExecutionEnvironment): readonly Required<Omit<ExecutorClass, "serves">>[] {
  const {
    executors: count,
    overheadMs,
    classes = [{ ...environment, name: "executor", count, overheadMs }] as readonly ExecutorClass[],
  } = environment;
  return classes.map(
    ({
      slots = 1,
      speed = 1,
      baseTokens = 0,
      contextTokens = Infinity,
      memoryBytes = Infinity,
      prices = {},
      ...rest
    }) => ({
      ...rest,
      slots,
      speed,
      baseTokens,
      contextTokens,
      memoryBytes,
      prices,
    }),
  );
}

/** Executors are numbered from 0, class by class. @returns the class of an executor; the last one for numbers beyond all. */
export function classOfExecutor(environment: ExecutionEnvironment): (executor: number) => number {
  const ends: number[] = [];
  let end = 0;
  for (const { count } of executorClasses(environment)) {
    end += count;
    ends.push(end);
  }
  return (executor) => {
    const kind = ends.findIndex((each) => executor < each);
    return kind === -1 ? ends.length - 1 : kind;
  };
}

function checkRates(rates: unknown, classes: readonly ExecutorClass[] | undefined): void {
  if (rates === undefined) return;
  const count = classes?.length;
  if (count === undefined) throw wrong("rates", "left out where there are no classes", "a table");
  const isSquare =
    Array.isArray(rates) && rates.length === count && rates.every((row) => Array.isArray(row) && row.length === count);
  if (!isSquare)
    throw wrong("rates", `a table of ${count} rows of ${count} rates, one for each class`, JSON.stringify(rates));
  (rates as unknown[][]).forEach((row, from) => {
    row.forEach((rate, to) => {
      if (typeof rate !== "number" || !(rate > 0))
        throw wrong(`rates[${from}][${to}]`, "a number above 0 or Infinity", rate);
    });
  });
}

function checkDispatchRate(rate: DispatchRate | undefined): void {
  if (rate === undefined) return;
  const { limit, intervalMs } = rate;
  if (!(Number.isInteger(limit) && limit >= 1)) throw wrong("dispatchRate.limit", "an integer of at least 1", limit);
  if (!(intervalMs > 0 && intervalMs < Number.POSITIVE_INFINITY))
    throw wrong("dispatchRate.intervalMs", "a finite number above 0", intervalMs);
}

/** How fast the fastest class is. */
export function greatestSpeed(environment: ExecutionEnvironment): number {
  return Math.max(...executorClasses(environment).map(({ speed }) => speed));
}

function summary(classes: readonly ExecutorClass[]) {
  const least = (pick: (each: ExecutorClass) => number) => Math.min(...classes.map(pick));
  const most = (pick: (each: ExecutorClass) => number) => Math.max(...classes.map(pick));
  return {
    executors: classes.reduce((sum, each) => sum + each.count, 0),
    overheadMs: least((each) => each.overheadMs),
    slots: most((each) => each.slots ?? 1),
    baseTokens: least((each) => each.baseTokens ?? 0),
    contextTokens: most((each) => each.contextTokens ?? Number.POSITIVE_INFINITY),
    memoryBytes: most((each) => each.memoryBytes ?? Number.POSITIVE_INFINITY),
  };
}

const atLeastOne = (value: number) => value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && value >= 1);
const amount = (value: number) => Number.isFinite(value) && value >= 0;
const positive = (value: number) => value > 0;

/** What a number must be, by field. */
const ranges: ReadonlyMap<string, readonly [(value: number) => boolean, string]> = new Map([
  ["executors", [atLeastOne, "an integer of at least 1 or Infinity"]],
  ["count", [atLeastOne, "an integer of at least 1 or Infinity"]],
  ["slots", [atLeastOne, "an integer of at least 1 or Infinity"]],
  ["maxTasks", [atLeastOne, "an integer of at least 1 or Infinity"]],
  ["overheadFactor", [amount, "a finite number of at least 0"]],
  ["ccr", [amount, "a finite number of at least 0"]],
  ["overheadMs", [amount, "a finite number of at least 0"]],
  ["taskOverheadMs", [amount, "a finite number of at least 0"]],
  ["baseTokens", [amount, "a finite number of at least 0"]],
  ["latencyMs", [amount, "a finite number of at least 0"]],
  ["affinityPenaltyMs", [amount, "a finite number of at least 0"]],
  ["memoryBytes", [positive, "a number above 0 or Infinity"]],
  ["perDispatch", [amount, "a finite number of at least 0"]],
  ["perMillionTokens", [amount, "a finite number of at least 0"]],
  ["perExecutorHour", [amount, "a finite number of at least 0"]],
  ["contextTokens", [positive, "a number above 0 or Infinity"]],
  ["bytesPerMs", [positive, "a number above 0 or Infinity"]],
  ["speed", [(value) => value > 0 && value < Number.POSITIVE_INFINITY, "a finite number above 0"]],
]);

function checkRanges(fields: object, prefix: string, needed?: string): void {
  const given = new Map<string, unknown>(Object.entries(fields));
  for (const [field, [holds, expected]] of ranges) {
    const value = given.get(field);
    if (value === undefined && field !== needed && !(needed === "count" && field === "overheadMs")) continue;
    if (typeof value !== "number" || !holds(value)) throw wrong(prefix + field, expected, value);
  }
}

function defined<Fields extends object>(
  fields: Fields,
): { [field in keyof Fields]: Exclude<Fields[field], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(kept) as { [field in keyof Fields]: Exclude<Fields[field], undefined> };
}

function mean(values: Float64Array): number {
  let sum = 0;
  for (let at = 0; at < values.length; at++) sum += values[at]!;
  return values.length === 0 ? 0 : sum / values.length;
}

function wrong(field: string, expected: string, actual: unknown): OptimizerError {
  return new OptimizerError(
    OptimizerErrorCode.ENVIRONMENT,
    `Expected environment.${field} to be ${expected}, got ${String(actual)} (${typeof actual}).`,
    { details: { field } },
  );
}
