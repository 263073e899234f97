import type { PlannerTask, SubGraph, TaskData } from "@planloom/plan";
import { keptTrace } from "@planloom/plan/internals";
import type { ConfirmLevel } from "./confirm.ts";
import { inProcessDispatcher } from "./dispatch/port/dispatcher.ts";
import { invalid } from "./invalid-option.ts";
import type {
  StoredAdaptiveDispatch,
  StoredDispatch,
  StoredOptions,
  StoredPrediction,
  StoredRun,
  StoredSubgraph,
} from "./journal/journal.ts";
import { storedFields, storedUnlessGiven } from "./options/run/stored-fields.ts";
import { runOptionTable } from "./options/run-option-table.ts";
import type { AdaptiveDispatchOptions } from "./ports/adaptive-dispatch.ts";
import type { DispatchPrediction } from "./ports/dispatch-prediction.ts";
import { resumedReplanPolicy, storedReplanPolicy } from "./ports/replan-policy.ts";
import { readDeadline } from "./ports/run-claim.ts";
import { dispatchesSubgraphs, type SubgraphSemantics } from "./ports/run-semantics.ts";
import type { StoredRevision } from "./ports/stored-revision.ts";
import type { LiveRegistry } from "./replan/live-registry.ts";
import { subgraphMembers } from "./replan/subgraph-members.ts";
import type { RunOptions, Settings } from "./run-settings.ts";
import { readTenant } from "./shared-limits/shared-options.ts";
import { type AtLeast, withStricter } from "./stricter-options.ts";

/** The options of a run that the journal keeps: all that are plain data and change what the run does. */
export function storedOptions(
  settings: Settings,
  variables: Readonly<Record<string, unknown>> | undefined,
  input: unknown,
  metadata: Readonly<Record<string, unknown>> | undefined,
  options: RunOptions,
  watched?: Pick<LiveRegistry, "fingerprints">,
): StoredOptions {
  return {
    ...storedFields(options, settings),
    ...(isGivenDefault(settings) && { task_timeout_given: true as const }),
    limits: {
      kinds: Object.fromEntries([...settings.limits.kinds].filter(([, limit]) => Number.isFinite(limit))),
      resources: Object.fromEntries([...settings.limits.resources].filter(([, limit]) => Number.isFinite(limit))),
    },
    ...(options.tenant !== undefined && { tenant: readTenant(options.tenant).key }),
    ...storedDeadline(options),
    ...(dispatchesSubgraphs(options.semantics)
      ? { dispatch: storedDispatch(options) }
      : settings.budgets?.subgraphs && { subgraphs: storedSubgraphs(options) }),
    ...(settings.approval.resources.length > 0 && { approval_resources: [...settings.approval.resources] }),
    ...(settings.approval.allow.length > 0 && { approval_allow: [...settings.approval.allow] }),
    ...(settings.confirm !== "never" && {
      confirm: typeof settings.confirm === "function" ? ("function" as const) : settings.confirm,
    }),
    ...(Number.isFinite(settings.approval.expiresAfterMs) && {
      approval_expires_after_ms: settings.approval.expiresAfterMs,
    }),
    ...admissionOptions(settings),
    ...(settings.replanGiven && { replan: storedReplanPolicy(settings.replan) }),
    ...(watched !== undefined &&
      settings.replan.on.has("resource") && { resource_fingerprints: Object.fromEntries(watched.fingerprints()) }),
    variables: variables ?? {},
    input,
    ...(metadata === undefined ? {} : { metadata }),
    ...keptTrace(),
  };
}

/** Whose turn it is among runs that share limits, of a run that is begun with what another one was begun with. */
export function storedClaim({
  priority,
  weight,
  deadline,
}: Pick<RunOptions, "priority" | "weight" | "deadline">): Partial<StoredOptions> {
  return {
    ...(priority !== undefined && { priority }),
    ...(weight !== undefined && { weight }),
    ...storedDeadline({ deadline }),
  };
}

function storedDeadline({ deadline }: Pick<RunOptions, "deadline">): Pick<StoredOptions, "deadline"> {
  return deadline === undefined ? {} : { deadline: new Date(readDeadline(deadline)).toISOString() };
}

/** The options of a resumption: what is given now, else what the run was begun with and `atLeast`, the stricter of the two. */
export function withStoredOptions(
  { atLeast, ...given }: Omit<RunOptions, "variables" | "input"> & { readonly atLeast?: AtLeast | undefined },
  run: Pick<StoredRun, "options" | "plan" | "revisions">,
): RunOptions {
  const merged = withStored(given, run, typeof atLeast?.confirm === "function");
  if (atLeast === undefined) return merged;
  const open = Object.entries(atLeast).filter(
    ([name]) => name === "approval" || given[name as keyof AtLeast] === undefined,
  );
  return withStricter(merged, Object.fromEntries(open));
}

function withStored(
  given: Omit<RunOptions, "variables" | "input">,
  { options: stored, plan, revisions = [] }: Pick<StoredRun, "options" | "plan" | "revisions">,
  isKnown: boolean,
): RunOptions {
  return {
    ...given,
    ...storedUnlessGiven(given, stored),
    ...(isUngiven(given, stored) && { taskTimeoutMs: undefined }),
    ...(stored.subgraphs !== undefined && {
      subgraphs: given.subgraphs ?? subgraphsNow(stored.subgraphs, plan, revisions),
    }),
    ...(stored.dispatch !== undefined && withStoredDispatch(given, stored.dispatch, plan, revisions)),
    // Tasks that start one by one are not dispatched, although the process that resumes them has a dispatcher for other runs.
    ...(!dispatchesSubgraphs(given.semantics ?? (stored.dispatch && storedSemantics(stored.dispatch))) && {
      dispatcher: undefined,
    }),
    deadline: given.deadline ?? stored.deadline,
    limits: given.limits ?? { ...stored.limits, ...(stored.rates && { rates: stored.rates }) },
    budgets: given.budgets ?? stored.budgets,
    guards: given.guards ?? stored.guards,
    confirm: given.confirm ?? storedConfirm(stored.confirm, isKnown),
    replanPolicy: resumedReplanPolicy(given.replanPolicy, stored.replan),
    approval: {
      resources: [...new Set([...(stored.approval_resources ?? []), ...(given.approval?.resources ?? [])])],
      allow: given.approval?.allow ?? stored.approval_allow ?? [],
      answers: given.approval?.answers ?? [],
      expiresAfterMs: given.approval?.expiresAfterMs ?? stored.approval_expires_after_ms ?? Number.POSITIVE_INFINITY,
    },
  };
}

const defaultTimeoutMs: number = runOptionTable.taskTimeoutMs.default;

const isGivenDefault = ({ taskTimeoutGiven, taskTimeoutMs }: Settings): boolean =>
  taskTimeoutGiven && taskTimeoutMs === defaultTimeoutMs;

/** A journal has the default in any case: whether the run was given it, a field of its own says. */
function isUngiven({ taskTimeoutMs }: Pick<RunOptions, "taskTimeoutMs">, stored: StoredOptions): boolean {
  return (
    taskTimeoutMs === undefined && stored.task_timeout_ms === defaultTimeoutMs && stored.task_timeout_given !== true
  );
}

/** @param isKnown the function is given by `atLeast`. @throws RuntimeError INVALID_OPTION for a policy that only the caller can give */
function storedConfirm(stored: StoredOptions["confirm"], isKnown: boolean): ConfirmLevel | undefined {
  if (stored !== "function") return stored;
  if (isKnown) return undefined;
  const expected = 'given again, since the run was begun with a function (or "writes", "destructive" or "never")';
  throw invalid("confirm", expected, undefined);
}

function storedSubgraphs({ subgraphs = [] }: Pick<RunOptions, "subgraphs">): StoredSubgraph[] {
  return subgraphs.map(({ subgraph_id, tasks, dependencies }) => ({
    subgraph_id,
    task_ids: tasks.map(({ task_id }) => task_id),
    dependencies,
  }));
}

function storedDispatch(options: RunOptions): StoredDispatch {
  const { dispatchOrder, dispatchOverheadMs = 0, dispatcher = inProcessDispatcher() } = options;
  const { adaptiveDispatch, prediction } = options;
  return {
    ...(options.semantics === "pipelined" && { semantics: options.semantics }),
    subgraphs: storedSubgraphs(options),
    ...(dispatchOrder !== undefined && { order: dispatchOrder }),
    ...(dispatchOverheadMs > 0 && { overhead_ms: dispatchOverheadMs }),
    ...(adaptiveDispatch !== undefined && adaptiveDispatch !== false && { adaptive: storedAdaptive(adaptiveDispatch) }),
    ...(prediction !== undefined && { predicted: storedPrediction(prediction) }),
    dispatcher: dispatcher.name,
  };
}

function storedPrediction({ predictedMs, perTaskMs, lowerBoundMs }: DispatchPrediction): StoredPrediction {
  return {
    predicted_ms: predictedMs,
    per_task_ms: perTaskMs,
    ...(lowerBoundMs !== undefined && { lower_bound_ms: lowerBoundMs }),
  };
}

function predictionAgain({ predicted_ms, per_task_ms, lower_bound_ms }: StoredPrediction): DispatchPrediction {
  return {
    predictedMs: predicted_ms,
    perTaskMs: per_task_ms,
    ...(lower_bound_ms !== undefined && { lowerBoundMs: lower_bound_ms }),
  };
}

function storedAdaptive(options: true | AdaptiveDispatchOptions): StoredAdaptiveDispatch {
  const { estimatesMs, toleranceMs, patienceMs } = options === true ? {} : options;
  return {
    ...(estimatesMs !== undefined && { estimates_ms: estimatesMs }),
    ...(toleranceMs !== undefined && { tolerance_ms: toleranceMs }),
    ...(patienceMs !== undefined && { patience_ms: patienceMs }),
  };
}

function adaptiveAgain(stored: StoredAdaptiveDispatch | undefined): AdaptiveDispatchOptions | undefined {
  return (
    stored && {
      estimatesMs: stored.estimates_ms,
      toleranceMs: stored.tolerance_ms,
      patienceMs: stored.patience_ms,
    }
  );
}

/** @throws RuntimeError INVALID_OPTION where a dispatcher is needed that only the caller can give */
function withStoredDispatch(
  { semantics: given, subgraphs, dispatchOrder, dispatchOverheadMs, dispatcher, adaptiveDispatch }: Partial<RunOptions>,
  stored: StoredDispatch,
  plan: TaskData,
  revisions: readonly StoredRevision[],
): Partial<RunOptions> {
  const semantics = given ?? storedSemantics(stored);
  // Other subgraphs have another order, and individual tasks none.
  if (!dispatchesSubgraphs(semantics) || subgraphs !== undefined) return {};
  if (dispatcher === undefined && stored.dispatcher !== inProcessDispatcher().name) {
    const expected = `given again, since the run was begun with one called ${JSON.stringify(stored.dispatcher)} (or semantics: "streaming")`;
    throw invalid("dispatcher", expected, dispatcher);
  }
  return {
    semantics,
    subgraphs: subgraphsNow(stored.subgraphs, plan, revisions),
    dispatchOrder: dispatchOrder ?? stored.order,
    dispatchOverheadMs: dispatchOverheadMs ?? stored.overhead_ms,
    adaptiveDispatch: adaptiveDispatch ?? adaptiveAgain(stored.adaptive),
    prediction: stored.predicted && predictionAgain(stored.predicted),
  };
}

/** Records of earlier versions say nothing: there was one way to dispatch subgraphs. */
function storedSemantics({ semantics }: StoredDispatch): SubgraphSemantics {
  return semantics ?? "atomic";
}

/** A grouping as it was begun with, with the tasks as they are now; those of a subgraph in the order in which it listed them, new ones last. */
function subgraphsNow(
  stored: readonly StoredSubgraph[],
  plan: TaskData,
  revisions: readonly StoredRevision[],
): SubGraph[] {
  const members = subgraphMembers(stored, revisions);
  const tasksOf = new Map<string, PlannerTask[]>(stored.map(({ subgraph_id }) => [subgraph_id, []]));
  for (const task of plan.planned_tasks) tasksOf.get(members.get(task.task_id) ?? "")?.push(task);
  return stored.map(({ subgraph_id, task_ids, dependencies }) => {
    const place = new Map(task_ids.map((id, at) => [id, at]));
    const placeOf = ({ task_id }: PlannerTask) => place.get(task_id) ?? task_ids.length;
    const tasks = tasksOf.get(subgraph_id)!.sort((left, right) => placeOf(left) - placeOf(right));
    return { subgraph_id, tasks, dependencies: [...dependencies] };
  });
}

/** Only what was asked for; a policy's functions are the caller's to give again. */
function admissionOptions({ budgets, guards, limits }: Settings): Partial<StoredOptions> {
  const { precondition: _, classify: __, ...caps } = guards ?? {};
  return {
    ...(budgets !== undefined && { budgets }),
    ...(guards !== undefined && { guards: caps }),
    ...(limits.rates.size > 0 && { rates: Object.fromEntries(limits.rates) }),
  };
}
