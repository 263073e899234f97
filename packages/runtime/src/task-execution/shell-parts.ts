import type { Executor, ReferenceLookup, TaskData } from "@planloom/plan";
import type { EventSink } from "../event-sink.ts";
import type { EndReason } from "../events.ts";
import type { ApprovedCall } from "../executors/scope.ts";
import type { TaskRecord } from "../journal/journal.ts";
import type { RunResult, Usage } from "../run-result.ts";
import type { RecordWriter } from "./journal-writer.ts";
import type { PlanChanges } from "./plan-changes.ts";
import type { PlanRun, WholeRun } from "./plan-run.ts";
import type { RunHost } from "./run-host.ts";

/** What a shell is made of: the plan, what its run has in common with others, and what it has around it. */
export interface ShellParts extends WholeRun, PlanRun {
  readonly host: RunHost;
  readonly lookup: ReferenceLookup;
  readonly events: EventSink;
  /** Changes the plan while it runs; where a policy asks for it. */
  readonly replanning: PlanChanges | undefined;
  /** `performance.now()` at the start of the run. */
  readonly startedAt: number;
  makeWriter(onError: (error: unknown) => void): RecordWriter | undefined;
  runNested(
    plan: TaskData,
    input: Readonly<Record<string, unknown>>,
    parent: NestedParent,
    executors: readonly Executor[] | undefined,
  ): Promise<NestedResult>;
  /** How a task of a plan nested in task `outer` ended in an earlier session, or before that plan was suspended. */
  recorded(
    outer: string,
    plan: TaskData,
    input: Readonly<Record<string, unknown>>,
    taskId: string,
  ): TaskRecord | undefined;
}

/** The task that a nested run is in. */
export interface NestedParent {
  readonly taskId: string;
  /** Id of the task within the whole run. */
  readonly path: string;
  readonly keyPrefix: string;
  readonly signal: AbortSignal;
  readonly approved: ApprovedCall | undefined;
  /** The plan makes only the approved call. */
  readonly isCovered: boolean;
  onProgress(progress: unknown): void;
  addUsage(usage: Usage): void;
  /** Milliseconds in which tasks of the nested run held a slot. */
  addWork(workMs: number): void;
}

export interface NestedResult {
  readonly result: RunResult;
  /** Version of the answers that it knew when it ended. */
  readonly answersKnown: number;
}

export interface ShellOutcome {
  readonly endReason: EndReason;
  readonly achievedMs: number;
  readonly usage: Usage;
  /** The journal could not be written, or the lease was lost. */
  readonly fatal: unknown;
  /** Version of the answers that it knew when it ended. */
  readonly answersKnown: number;
}
