import { isRecord, type PlanIssue, type TaskData } from "@planloom/plan";
import { describeValue } from "@planloom/plan/internals";
import type { EstimateSources, RunOptions, RunResult, SubgraphSemantics } from "@planloom/runtime";
import { PlanloomError, PlanloomErrorCode } from "../errors.ts";
import type { AchievedGrouping } from "./achieved-grouping.ts";
import type { DispatchOptions } from "./dispatch-options.ts";
import type { GroupedPlan } from "./grouped-plan.ts";

/** How the plan of a run was grouped before it was dispatched, and what was predicted of it. Plain JSON; times in milliseconds. */
export interface RunGrouping {
  /** The dispatcher. */
  readonly dispatcher: string;
  /** When subgraphs are dispatched: once all that they depend on have ended (`atomic`), or once the outputs are there that their tasks read (`pipelined`). */
  readonly semantics: SubgraphSemantics;
  /** Subgraphs, each one dispatch. */
  readonly dispatches: number;
  /** Subgraphs at once; `null` for no limit. */
  readonly executors: number | null;
  readonly predicted_ms: number;
  /** What one dispatch for each task was predicted to take. */
  readonly per_task_ms: number;
  /** What no grouping can beat, where tasks and dispatches take what was estimated and measured beforehand. */
  readonly lower_bound_ms: number;
  /** What a dispatch costs. */
  readonly overhead_ms: number;
  /** What each task costs its executor beside its own duration. */
  readonly task_overhead_ms: number;
  /** How many dispatches that was measured on; 0 where it was not measured. */
  readonly measured: number;
  /** Where the durations of the tasks are from. */
  readonly sources: EstimateSources;
  /** Whose grouping it is: a strategy, or `model`. */
  readonly strategy: string;
  readonly reason: string;
}

/** The result of a run, with how its plan was grouped and what its planner noted. */
export interface PlanloomRunResult extends RunResult {
  /**
   * What the goal asks for and the plan that ran does not do, and what else its planner noted (`metadata.issues` of the plan), so that a completed
   * run of half a goal is not taken for the whole. Absent where nothing was noted.
   */
  readonly plan_issues?: readonly PlanIssue[];
  /** Absent where tasks started one by one, and where subgraphs were handed in. */
  readonly grouping?: RunGrouping & { readonly achieved?: AchievedGrouping };
}

/** A plan was grouped for its dispatcher, before its run begins. */
export interface PlanGroupedEvent {
  readonly type: "plan-grouped";
  readonly planId: string;
  /** Ids of the tasks of each subgraph, by its id. */
  readonly subgraphs: Readonly<Record<string, readonly string[]>>;
  readonly grouping: RunGrouping;
}

/** @throws PlanloomError OPTION for a grouping that `Planloom.optimize` did not make */
export function checkGrouped(grouped: unknown): void {
  if (
    isRecord(grouped) &&
    Array.isArray(grouped.subgraphs) &&
    isRecord(grouped.environment) &&
    isRecord(grouped.estimatesMs) &&
    isRecord(grouped.sources)
  )
    return;
  const message = `Expected \`dispatch.grouped\` of \`run\` to be what \`optimize\` of a Planloom gives, got ${describeValue(grouped)}.`;
  throw new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { option: "dispatch.grouped" } });
}

export function runGrouping(grouped: GroupedPlan, { to }: DispatchOptions): RunGrouping {
  const { environment, costs } = grouped;
  // What the caller says of the overhead goes before what was measured.
  const isMeasured = costs !== undefined && environment.overheadMs === (costs.overheadMeanMs ?? costs.overheadMs);
  return {
    dispatcher: to.name,
    semantics: semanticsOf(grouped),
    dispatches: grouped.dispatches,
    executors: Number.isFinite(environment.executors) ? environment.executors : null,
    predicted_ms: grouped.predictedMs,
    per_task_ms: grouped.perTaskMs,
    lower_bound_ms: grouped.lowerBoundMs,
    overhead_ms: environment.overheadMs,
    task_overhead_ms: environment.taskOverheadMs ?? 0,
    measured: isMeasured ? costs.measured : 0,
    sources: grouped.sources,
    strategy: grouped.strategy,
    reason: grouped.reason,
  };
}

function semanticsOf({ environment }: GroupedPlan): SubgraphSemantics {
  return environment.semantics === "pipelined" ? "pipelined" : "atomic";
}

export function groupedEvent(plan: TaskData, { subgraphs }: GroupedPlan, grouping: RunGrouping): PlanGroupedEvent {
  const members = subgraphs.map(({ subgraph_id, tasks }) => [subgraph_id, tasks.map(({ task_id }) => task_id)]);
  return { type: "plan-grouped", planId: plan.task_id, subgraphs: Object.fromEntries(members), grouping };
}

/** The options of the run that dispatches the subgraphs as they were grouped. */
export function dispatchedRun(
  grouped: GroupedPlan,
  { to, adaptive = false }: Pick<DispatchOptions, "to" | "adaptive">,
): Partial<RunOptions> {
  const { subgraphs, dispatchOrder, environment, estimatesMs, predictedMs, perTaskMs, lowerBoundMs } = grouped;
  return {
    semantics: semanticsOf(grouped),
    dispatcher: to,
    subgraphs,
    dispatchOrder,
    dispatchOverheadMs: environment.overheadMs,
    prediction: { predictedMs, perTaskMs, lowerBoundMs },
    concurrency: environment.executors,
    ...(adaptive !== false && { adaptiveDispatch: { ...(adaptive === true ? {} : adaptive), estimatesMs } }),
  };
}
