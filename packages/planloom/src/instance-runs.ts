import {
  type Executor,
  isRecord,
  notedIssues,
  type Resource,
  resourceCatalogue,
  type TaskData,
  type TaskDataInput,
} from "@planloom/plan";
import {
  type EstimatedPlan,
  estimatePlan,
  type Journal,
  learnBehaviours,
  type RunResult,
  run,
} from "@planloom/runtime";
import type { PlanloomEvent } from "./events.ts";
import { achievedGrouping, measuredDispatcher } from "./grouping/achieved-grouping.ts";
import type { RunDispatchOptions } from "./grouping/dispatch-options.ts";
import { groupPlan } from "./grouping/group-plan.ts";
import type { GroupedPlan } from "./grouping/grouped-plan.ts";
import {
  checkGrouped,
  dispatchedRun,
  groupedEvent,
  type PlanloomRunResult,
  runGrouping,
} from "./grouping/run-grouping.ts";
import type { WorkSignals } from "./open-work.ts";
import type { PlanService } from "./plan-service.ts";
import { isPlanStream, type PlanStream } from "./plan-stream.ts";
import type { Goal, OptimizeOptions, PlanloomOptions, PlanloomRunOptions, PlanOptions } from "./planloom-options.ts";
import { runPlanStream } from "./run-plan-stream.ts";
import type { RunWiring } from "./run-wiring.ts";
import { runnablePlan } from "./runnable-plan.ts";
import { watchedDispatch } from "./telemetry/watched.ts";

/** Gets each event of one call. */
export type NotifyOf = (event: PlanloomEvent) => void;

/** What a run needs of an instance. */
export interface InstanceRunsParts {
  readonly options: PlanloomOptions;
  readonly executors: readonly Executor[];
  readonly resources: () => readonly Resource[];
  readonly planning: PlanService;
  readonly wiring: RunWiring;
  readonly journal: () => Promise<Journal>;
  /** As `Instance.plan`: what `planning` plans, with its events reported. */
  plan(goal: Goal, options: PlanOptions, notify: NotifyOf): Promise<TaskData>;
  /** Gives an event to the listeners of the instance and to those of the call. */
  emit(event: PlanloomEvent, notify: NotifyOf): void;
}

/** How a plan, a goal or a plan that is still written becomes a run: it is planned, checked, grouped where it is dispatched, and executed. */
export class InstanceRuns {
  readonly #parts: InstanceRunsParts;

  constructor(parts: InstanceRunsParts) {
    this.#parts = parts;
  }

  async run(
    given: TaskDataInput | Goal | PlanStream,
    options: PlanloomRunOptions,
    signals: WorkSignals,
    notify: NotifyOf,
  ): Promise<PlanloomRunResult> {
    const { planning, wiring, emit } = this.#parts;
    const { context, instructions, llmData, candidates, memory, dispatch: givenDispatch, ...rest } = options;
    const { options: own } = this.#parts;
    const dispatch: RunDispatchOptions | undefined =
      givenDispatch === undefined ? own.dispatch : watchedDispatch(givenDispatch, own.telemetry);
    const { tenant } = options;
    // A run that will be refused is refused before its goal is planned.
    await wiring.shared(tenant)?.checkRoom(tenant);
    const runOptions = await wiring.ofRun({ ...rest, llmData }, !isSeen(given), signals, notify);
    if (isPlanStream(given)) {
      const result = await runPlanStream(given, {
        catalogue: resourceCatalogue(this.#parts.resources()),
        run: runOptions,
        check: (plan) => runnablePlan(plan, planning, rest.variables),
        onEvent: (event) => emit(event, notify),
      });
      return withPlanIssues(result);
    }
    const plan = isPlan(given)
      ? runnablePlan(given, planning, rest.variables)
      : await this.#parts.plan(
          given,
          { context, instructions, llmData, candidates, memory, tenant: tenantKey(tenant), signal: signals.signal },
          notify,
        );
    // A grouping of the caller's own is dispatched as it is.
    if (dispatch === undefined || rest.subgraphs !== undefined || rest.semantics === "streaming")
      return withPlanIssues(await run(plan, runOptions));
    if (dispatch.grouped !== undefined) checkGrouped(dispatch.grouped);
    const grouped =
      dispatch.grouped ?? (await this.group(plan, { dispatch, concurrency: rest.concurrency }, signals.signal));
    const grouping = runGrouping(grouped, dispatch);
    emit(groupedEvent(plan, grouped, grouping), notify);
    const measured = measuredDispatcher(dispatch.to, grouped.environment.dispatchRate);
    const dispatched = dispatchedRun(grouped, { ...dispatch, to: measured.dispatcher });
    const result = withPlanIssues(await run(plan, { ...runOptions, ...dispatched }));
    const achieved = achievedGrouping(grouped, result, measured);
    return { ...result, grouping: { ...grouping, ...(achieved !== undefined && { achieved }) } };
  }

  /** Durations from the newest runs of the journal, which is read only where the plan lacks some. */
  async estimate(plan: TaskData, signal: AbortSignal): Promise<EstimatedPlan> {
    const { journal, executors } = this.#parts;
    const isKnown = plan.planned_tasks.every(
      ({ estimate_data, for_each }) =>
        estimate_data?.duration_ms !== undefined && (for_each === undefined || estimate_data.items !== undefined),
    );
    const behaviours = isKnown ? undefined : await learnBehaviours(await journal(), { ...learned, plan, signal });
    return estimatePlan(plan, { executors, behaviours });
  }

  /** Subgraphs as a run would have them. */
  async group(plan: TaskData, given: Omit<OptimizeOptions, "signal">, signal: AbortSignal): Promise<GroupedPlan> {
    const { options } = this.#parts;
    const { optimizer, model } = options;
    const { dispatch = options.dispatch, concurrency = options.concurrency } = given;
    return groupPlan(plan, await this.estimate(plan, signal), { optimizer, dispatch, concurrency, model }, signal);
  }
}

/** The result with what the planner of its plan noted. */
export function withPlanIssues(result: RunResult): PlanloomRunResult {
  const issues = notedIssues(result.plan);
  return issues.length === 0 ? result : { ...result, plan_issues: issues };
}

const tenantKey = (tenant: PlanloomRunOptions["tenant"]): string | undefined =>
  typeof tenant === "object" ? tenant.key : tenant;

/** How much of the journal durations are learned from: what takes some milliseconds to read. */
const learned = { runs: 20, maxTasks: 2_000 } as const;

/** Whether a person can have seen the plan: it was handed in, and its planner does not call it a proposal. */
export function isSeen(given: TaskDataInput | Goal | PlanStream): boolean {
  return !isPlanStream(given) && isPlan(given) && given.metadata?.proposal !== true;
}

function isPlan(planOrGoal: TaskDataInput | Goal): planOrGoal is TaskDataInput {
  return isRecord(planOrGoal) && "planned_tasks" in planOrGoal;
}
