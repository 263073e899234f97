import type { Bind, Executor, ReferenceLookup, TaskData } from "@planloom/plan";
import type { Admission } from "../admission/admission.ts";
import type { CallDesk } from "../admission/call-permit.ts";
import type { RunState } from "../core/run-state.ts";
import type { AbandonedCall } from "../dispatch/dispatcher.ts";
import type { Pace } from "../edge/pace.ts";
import type { EventSink } from "../event-sink.ts";
import type { EndReason } from "../events.ts";
import type { Registry } from "../executors/registry.ts";
import type { ApprovedCall } from "../executors/scope.ts";
import type { AskedTask, TaskRecord } from "../journal/journal.ts";
import type { NestedPlace } from "../nested-keeping.ts";
import type { Replanning } from "../replan/replanning.ts";
import type { RunCache } from "../result-cache.ts";
import type { Settings } from "../run-options.ts";
import type { RunResult, Usage } from "../run-result.ts";
import type { SecretDesk } from "../secrets/secret-desk.ts";
import type { BegunCalls } from "../session/begun-calls.ts";
import type { CallLedger } from "../session/call-ledger.ts";
import type { StrayCall } from "../session/stray-calls.ts";
import type { ApprovalDesk } from "./approval-desk.ts";
import type { RecordWriter } from "./journal-writer.ts";
import type { LimitPool } from "./limit-pool.ts";
import type { TaskTable } from "./task-table.ts";

/** What a shell is made of. */
export interface ShellParts {
  readonly runId: string;
  readonly state: RunState;
  readonly table: TaskTable;
  readonly settings: Settings;
  readonly registry: Registry;
  readonly bind: Bind | undefined;
  readonly pace: Pace | undefined;
  readonly lookup: ReferenceLookup;
  readonly baseInput: Readonly<Record<string, unknown>> | undefined;
  readonly runInput: Readonly<Record<string, unknown>> | undefined;
  readonly events: EventSink;
  readonly pool: LimitPool;
  readonly desk: ApprovalDesk;
  readonly admission: Admission;
  readonly cache: RunCache | undefined;
  readonly secrets: SecretDesk | undefined;
  /** Changes the plan while it runs; where a policy asks for it. */
  readonly replanning: Replanning | undefined;
  /** Where the right to make a call is asked for. @default `admission`, and the limits of `state` */
  readonly callDesk: CallDesk | undefined;
  /** Where model calls and what calls may use are kept; absent where the run is kept nowhere. */
  readonly ledger: CallLedger | undefined;
  /** Of a run within another. */
  readonly place: NestedPlace | undefined;
  /** Of tasks of nested plans, by `nestedKey`. */
  readonly nestedRecords: ReadonlyMap<string, TaskRecord>;
  /** What is known of tasks of this plan that people were asked about before, by id. */
  readonly earlier: Map<string, AskedTask>;
  /** The call that a person said yes to, of a plan that is executed within it. */
  readonly approved: ApprovedCall | undefined;
  /** Calls of earlier sessions of which nobody knows whether they were carried out. */
  readonly begun: BegunCalls;
  /** The task of the outermost plan that a nested run is in. */
  readonly outerTaskId: string | undefined;
  /** Prefix of idempotency keys: the run, and the tasks a nested run is in. */
  readonly keyPrefix: string;
  /** `performance.now()` at the start of the run. */
  readonly startedAt: number;
  /** Hears the answers that are in the journal; absent where there is none, or somebody else hears them. */
  readonly readAnswers: (() => Promise<void>) | undefined;
  makeWriter(onError: (error: unknown) => void): RecordWriter | undefined;
  /** Aborted: nothing more starts, and what runs may end. */
  readonly drain: AbortSignal | undefined;
  /** Notes an attempt that was abandoned, for later sessions of the run in this process; gives what to call when it has ended. */
  readonly strayed: ((stray: StrayCall) => () => void) | undefined;
  /** Told of each attempt that was abandoned, before what it had is given back; whoever can end it does. */
  readonly abandoned: ((call: AbandonedCall) => void) | undefined;
  /** Says whether a failure elsewhere keeps anything more from starting. */
  readonly halted: (() => boolean) | undefined;
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
  /** The plan makes no other call than the approved one. */
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
