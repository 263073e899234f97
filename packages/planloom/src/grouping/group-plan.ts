import type { Model } from "@planloom/controller";
import { type EnvironmentInput, ManualOptimizer, type ModelOptimized, OptimizationPlanner } from "@planloom/optimizer";
import { isRecord, planView, type TaskData } from "@planloom/plan";
import { CodedError } from "@planloom/plan/coded-error";
import { abortable, describeValue } from "@planloom/plan/internals";
import type { DispatchClass, DispatchCosts, Dispatcher, EstimatedPlan, SubgraphSemantics } from "@planloom/runtime";
import { PlanloomError, PlanloomErrorCode } from "../errors.ts";
import type { DispatchOptions, GroupingOptions, RuleGrouping } from "./dispatch-options.ts";
import { executorClassesFor } from "./executor-classes.ts";
import type { GroupedPlan } from "./grouped-plan.ts";

export interface GroupingParts {
  /** @default rules, the portfolio */
  readonly optimizer: GroupingOptions | undefined;
  /** Where the subgraphs go. @default nowhere: an environment of `ManualOptimizer`'s defaults is grouped for */
  readonly dispatch: DispatchOptions | undefined;
  /** Subgraphs at once, where the caller said so. */
  readonly concurrency: number | undefined;
  /** The model of the instance. */
  readonly model: Model | undefined;
}

/** Subgraphs at once where neither the caller nor the dispatcher says how many. */
const usualExecutors = 4;

/**
 * Groups a plan, with the durations it was estimated to have, for the place it is dispatched to: the dispatcher says what a dispatch costs there, the options what is known better.
 * @throws PlanloomError OPTION for a grouping by a model without a model; OptimizerError for a cycle or an unknown dependency; PlanloomError OPTION where the
 *   dispatcher cannot get ready; the signal's reason
 */
export async function groupPlan(
  plan: TaskData,
  estimated: EstimatedPlan,
  { optimizer: usualOptimizer, dispatch, concurrency, model }: GroupingParts,
  signal: AbortSignal,
): Promise<GroupedPlan> {
  const { environment: givenEnvironment, ...optimizer } = dispatch?.optimizer ?? usualOptimizer ?? {};
  const known: EnvironmentInput = { ...givenEnvironment, ...dispatch?.environment };
  const wanted = known.executors ?? concurrency;
  const view = planView(estimated.plan);
  const taskMs = meanOf(view.work);
  const costs = dispatch && (await preparedCosts(dispatch, wanted ?? usualExecutors, { signal, taskMs }));
  const usual: EnvironmentInput = {
    executors: wanted ?? costs?.executors ?? usualExecutors,
    ...(costs !== undefined &&
      known.overheadFactor === undefined && { overheadMs: costs.overheadMeanMs ?? costs.overheadMs }),
    ...(costs?.taskOverheadMs !== undefined && { taskOverheadMs: costs.taskOverheadMs }),
    ...known,
    ...(dispatch !== undefined && { semantics: semanticsOf(dispatch.to, known) }),
  };
  const environment = withClasses(usual, costs?.classes, {
    view,
    tasks: estimated.plan.planned_tasks,
    taskMs,
    most: wanted,
  });
  const grouped =
    optimizer.by === "model"
      ? await byModel(estimated.plan, { ...optimizer, environment }, model, signal)
      : new ManualOptimizer({ ...withSpread(withoutBy(optimizer), estimated), environment }).optimize(estimated.plan);
  const perTask = new ManualOptimizer({ strategy: "per-task", environment: grouped.environment }).optimize(
    estimated.plan,
  );
  const own = new Map(plan.planned_tasks.map((task) => [task.task_id, task]));
  return {
    ...grouped,
    subgraphs: grouped.subgraphs.map((subgraph) => ({
      ...subgraph,
      tasks: subgraph.tasks.map((task) => own.get(task.task_id) ?? task),
    })),
    perTaskMs: perTask.predictedMs,
    estimatesMs: Object.fromEntries(view.ids.map((id, task) => [id, view.work[task]!])),
    ...(costs !== undefined && { costs }),
    sources: estimated.sources,
  };
}

/** How subgraphs are dispatched: dispatchers take whole subgraphs, so that none is sent to an executor before its inputs are there. */
function semanticsOf({ reportsTasks = false }: Dispatcher, known: EnvironmentInput): SubgraphSemantics {
  if (known.semantics === "atomic" || known.semantics === "pipelined") return known.semantics;
  const { latencyMs = 0, bytesPerMs, rates, ccr = 0 } = known;
  const hasTransfers = latencyMs > 0 || ccr > 0 || bytesPerMs !== undefined || rates !== undefined;
  // What outputs take to another executor is only modelled where they travel when their subgraph has ended.
  return reportsTasks && !hasTransfers ? "pipelined" : "atomic";
}

/** The environment with what the dispatcher says of its executors, unless the caller has described them. */
function withClasses(
  environment: EnvironmentInput,
  classes: readonly DispatchClass[] = [],
  {
    taskMs,
    most,
    ...plan
  }: Parameters<typeof executorClassesFor>[1] & { readonly taskMs: number; readonly most: number | undefined },
): EnvironmentInput {
  if (classes.length === 0 || environment.classes !== undefined) return environment;
  const { overheadMs = (environment.overheadFactor ?? 1) * taskMs } = environment;
  const { slots, baseTokens, contextTokens, memoryBytes, prices } = environment;
  const limits = Object.fromEntries(
    Object.entries({ slots, baseTokens, contextTokens, memoryBytes, prices }).filter(
      ([, value]) => value !== undefined,
    ),
  );
  const own = executorClassesFor(classes, plan, { overheadMs, most, limits });
  return own === undefined ? environment : { ...environment, classes: own };
}

/**
 * What the dispatcher says of its costs; it is code of the user's own, so that its answer is checked.
 * @throws PlanloomError OPTION for invalid costs, and where it cannot get ready
 */
async function preparedCosts(
  { to }: DispatchOptions,
  subgraphs: number,
  known: { readonly signal: AbortSignal; readonly taskMs: number },
): Promise<DispatchCosts | undefined> {
  const { signal } = known;
  if (to.prepare === undefined) return undefined;
  let costs: unknown;
  try {
    costs = await abortable(Promise.resolve(to.prepare(subgraphs, known)), signal);
  } catch (cause) {
    signal.throwIfAborted();
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `The dispatcher ${JSON.stringify(to.name)} could not get ready, so nothing was run. ${why}`;
    const coded = cause instanceof CodedError ? { problem: cause.code, ...cause.details } : {};
    throw new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { ...coded, option: "dispatch.to" }, cause });
  }
  if (isCosts(costs)) return costs;
  const expected =
    "{ overheadMs, overheadP95Ms, measured }, numbers of at least 0, with `taskOverheadMs` of at least 0, `executors` of at least 1 and `classes` ([{ name, executors, resources: [{ kind, id }] }]) where they are given";
  const message = `Expected \`prepare\` of the dispatcher ${JSON.stringify(to.name)} to give ${expected}, got ${describeValue(costs)}.`;
  throw new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { option: "dispatch.to" } });
}

function isCosts(value: unknown): value is DispatchCosts {
  if (!isRecord(value)) return false;
  const {
    overheadMs,
    overheadP95Ms,
    overheadMeanMs = 0,
    measured,
    taskOverheadMs = 0,
    executors = 1,
    classes = [],
  } = value;
  return (
    [overheadMs, overheadP95Ms, overheadMeanMs, measured, taskOverheadMs].every(
      (each) => typeof each === "number" && each >= 0 && Number.isFinite(each),
    ) &&
    typeof executors === "number" &&
    executors >= 1 &&
    Array.isArray(classes) &&
    classes.every(isClass)
  );
}

function isClass(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { name, executors, resources } = value;
  return (
    typeof name === "string" &&
    typeof executors === "number" &&
    executors >= 1 &&
    Array.isArray(resources) &&
    resources.every((each) => isRecord(each) && typeof each.kind === "string" && typeof each.id === "string")
  );
}

function meanOf(durations: Float64Array): number {
  return durations.length === 0 ? 0 : durations.reduce((sum, ms) => sum + ms, 0) / durations.length;
}

function byModel(
  plan: TaskData,
  options: Extract<GroupingOptions, { by: "model" }>,
  usual: Model | undefined,
  signal: AbortSignal,
): Promise<ModelOptimized> {
  const { by: _, model = usual, ...rest } = options;
  if (model === undefined) {
    const message =
      'Expected a model for the grouping, since `optimizer.by` is "model", got none: give `model` to the Planloom, or `optimizer.model`.';
    throw new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { option: "optimizer.model" } });
  }
  return new OptimizationPlanner({ ...rest, model }).optimize(plan, { signal });
}

/** What a robust grouping knows of the spread of durations: what earlier runs took, where the caller does not say it. */
function withSpread(rules: Omit<RuleGrouping, "by">, { samples }: EstimatedPlan): Omit<RuleGrouping, "by"> {
  if (rules.strategy !== "robust" && rules.robust === undefined) return rules;
  const { uncertainty, ...rest } = rules.robust ?? {};
  return {
    ...rules,
    robust: { ...rest, uncertainty: { ...uncertainty, samples: { ...samples, ...uncertainty?.samples } } },
  };
}

function withoutBy<Options extends { readonly by?: unknown }>({ by: _, ...options }: Options): Omit<Options, "by"> {
  return options;
}
