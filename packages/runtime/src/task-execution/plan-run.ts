import type { Bind } from "@planloom/plan";
import type { Admission } from "../admission/admission.ts";
import type { PlanApprovals } from "../approvals/plan-approvals.ts";
import type { RunState } from "../core/run-state.ts";
import type { Pace } from "../edge/pace.ts";
import type { Registry } from "../executors/registry.ts";
import type { ApprovedCall } from "../executors/scope.ts";
import type { AskedTask, TaskRecord } from "../journal/journal.ts";
import type { RunCache } from "../result-cache.ts";
import type { Settings } from "../run-settings.ts";
import type { BegunCalls } from "./begun-calls.ts";
import type { FamilyLimits } from "./family-limits.ts";
import type { RunnablePlan } from "./runnable-plan.ts";
import type { TaskTable } from "./task-table.ts";

/** What a run shares with all runs that are nested in it. */
export interface WholeRun {
  readonly runId: string;
  readonly pace: Pace | undefined;
  readonly family: FamilyLimits;
  readonly admission: Admission;
  readonly cache: RunCache | undefined;
  /** Records of tasks of nested plans, by `nestedKey`: from earlier sessions, and of plans that are suspended. */
  readonly nestedRecords: Map<string, TaskRecord>;
  /** Those tasks and elements of lists among these that failed or were skipped, and are not tried again when what they are in continues, by `nestedKey`. */
  readonly lostTasks: Set<string>;
  /** Whether what failed or was skipped in earlier sessions is tried again in this one. */
  readonly triesAgain: boolean;
  /** Calls of earlier sessions of which it is unknown whether they were carried out. */
  readonly begun: BegunCalls;
  /** The W3C trace context in which a resumed run was begun, if it was in one. */
  readonly begunIn: Readonly<Record<string, string>> | undefined;
}

/** One plan that is executed: the run's own, a subgraph of it, or one that is nested in a task. */
export interface PlanRun {
  readonly runnable: RunnablePlan;
  readonly settings: Settings;
  readonly registry: Registry;
  readonly bind: Bind | undefined;
  readonly input: Readonly<Record<string, unknown>>;
  readonly baseInput: Readonly<Record<string, unknown>> | undefined;
  readonly state: RunState;
  readonly table: TaskTable;
  readonly approvals: PlanApprovals;
  /** Tasks of this plan that people were asked about before, by id. */
  readonly earlier: Map<string, AskedTask>;
  /** The call that a person said yes to, of a plan that is executed within it: calls that differ are asked about. */
  readonly approved: ApprovedCall | undefined;
  /** Subgraph of each task, for results; what a replan adds is added to it. */
  readonly subgraphOf: Map<string, string>;
}
