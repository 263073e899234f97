import type { CallUsage, ExecutionKind, JsonSchema, RetryPolicy, TaskData } from "@planloom/plan";
import type { ResultCache } from "../cached-output.ts";
import type { ConfirmLevel } from "../confirm.ts";
import type { EndReason, RunEvent } from "../events.ts";
import type { BudgetOptions } from "../ports/budget.ts";
import type { GuardPolicy } from "../ports/guard-policy.ts";
import type { LimitStore } from "../ports/limit-store.ts";
import type { StoredReplanPolicy } from "../ports/replan-policy.ts";
import type { RetryOn } from "../ports/retry.ts";
import type { StoredRevision } from "../ports/stored-revision.ts";
import type { RateLimit } from "../ports/token-bucket.ts";
import type { TaskError } from "../task-error.ts";
import type { LeaseOwner } from "./lease.ts";
import type { ChecksumReport } from "./run-chain.ts";
import type { ListRunsOptions } from "./run-filter.ts";
import type { RunSummary, StoredStatus } from "./run-summary.ts";
import type { AddedSignal, DueRun, StoredSignal, StoredWait, WaitChange } from "./stored-wait.ts";

export type { RunSummary, StoredStatus } from "./run-summary.ts";

/** What a run needs to be resumed as it was begun. Plain JSON. */
export interface StoredOptions {
  /** `null` is unlimited, here and below. */
  readonly concurrency: number | null;
  readonly limits: {
    readonly kinds: Readonly<Record<string, number>>;
    readonly resources: Readonly<Record<string, number>>;
  };
  readonly task_timeout_ms: number | null;
  /** Present where the run was given exactly the default, which would be taken for no limit of its own. */
  readonly task_timeout_given?: true;
  readonly retry: RetryPolicy | null;
  readonly on_failure: "continue" | "halt";
  /** @default "ask" */
  readonly on_unknown?: "ask" | "retry" | "fail";
  /** As the options of `run`; absent: not asked for. */
  readonly budgets?: BudgetOptions;
  readonly guards?: GuardPolicy;
  readonly rates?: Readonly<Record<string, RateLimit>>;
  /** Key of the tenant that the run counts for, where it shares limits with others. */
  readonly tenant?: string;
  readonly max_repeats?: number;
  readonly total_timeout_ms?: number;
  /** `null` is unlimited. */
  readonly max_task_timeout_ms?: number | null;
  readonly max_attempts?: number | null;
  readonly idle_timeout_ms?: number;
  readonly retry_on?: RetryOn;
  /** The grouping that `budgets.subgraphs` are of, where tasks start individually. */
  readonly subgraphs?: readonly StoredSubgraph[];
  /** How subgraphs are dispatched whole. @default tasks start individually */
  readonly dispatch?: StoredDispatch;
  /** Resources whose every use needs approval. @default none */
  readonly approval_resources?: readonly string[];
  /** Resources whose calls need no confirmation. @default none */
  readonly approval_allow?: readonly string[];
  /** Which calls are confirmed; `function`: the caller's own policy, which is given again. @default "never" */
  readonly confirm?: ConfirmLevel | "function";
  /** How long a yes holds, in milliseconds. @default for ever */
  readonly approval_expires_after_ms?: number;
  readonly replan?: StoredReplanPolicy;
  /** SHA-256 of what each resource takes and gives, by `kind:uid`; where changed resources are watched. */
  readonly resource_fingerprints?: Readonly<Record<string, string>>;
  /** Plan variables with the run's own put in. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly input: unknown;
  /** The caller's own, kept with the run. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** W3C trace context (`traceparent`, `tracestate`) in which the run was begun: spans of later sessions link to it. @default none */
  readonly trace?: Readonly<Record<string, string>>;
}

export interface StoredSubgraph {
  readonly subgraph_id: string;
  readonly task_ids: readonly string[];
  readonly dependencies: readonly string[];
}

/** The `atomic` semantics of a run, with all that a resumption needs but the dispatcher itself. */
export interface StoredDispatch {
  readonly subgraphs: readonly StoredSubgraph[];
  readonly order?: readonly string[];
  readonly overhead_ms?: number;
  /** Subgraphs are split where durations are not as estimated; `subgraph-split` events say how. */
  readonly adaptive?: StoredAdaptiveDispatch;
  /** Name of the dispatcher; a resumption must be given one again unless it is `in-process`. */
  readonly dispatcher: string;
}

/** `adaptiveDispatch` of a run. */
export interface StoredAdaptiveDispatch {
  readonly estimates_ms?: Readonly<Record<string, number>>;
  readonly tolerance_ms?: number;
  readonly patience_ms?: number;
}

/** A run as the journal has it, without its tasks. */
export interface StoredRun {
  readonly run_id: string;
  /** As it is now: as handed to `run`, with all revisions. */
  readonly plan: TaskData;
  /** As handed to `run`, where there are revisions. */
  readonly first_plan?: TaskData;
  /** Oldest first; absent when the plan was never changed. */
  readonly revisions?: readonly StoredRevision[];
  readonly options: StoredOptions;
  readonly status: StoredStatus;
  /** ISO 8601, UTC. */
  readonly created_at: string;
  readonly updated_at: string;
  /** The certificate of the last session that ended in order. */
  readonly certificate?: StoredCertificate;
}

/** The certificate that a session wrote when it ended; `verifyRun` checks it. */
export interface StoredCertificate {
  /** Start of the session, milliseconds since the epoch by the clock of its tasks' times. */
  readonly began_at: number;
  /** The limits it ran under; `null` is unlimited, resources are `kind:uid`. */
  readonly limits: {
    readonly concurrency: number | null;
    readonly kinds: Readonly<Record<string, number>>;
    readonly resources: Readonly<Record<string, number>>;
  };
  readonly lower_bound_ms: number;
  readonly achieved_ms: number;
  readonly ratio: number;
  /** How often adaptive dispatch split a subgraph; absent when it never did. */
  readonly regroupings?: number;
  /** `seq` of the first event of the next session; absent in runs of earlier versions. */
  readonly next_seq?: number;
  /** Absent when no task waited. */
  readonly waits?: {
    readonly approval_ms: number;
    readonly retry_ms: number;
    readonly limit_ms: number;
    readonly time_ms?: number;
  };
}

/** When a task was executed. Milliseconds since the epoch, by a clock that is only ever set between sessions. */
export interface TaskTiming {
  /** End of the last attempt. */
  readonly ended_at: number;
  /** Start and end of each attempt, where there was more than one. */
  readonly spans?: readonly (readonly [number, number])[];
  /** How long it held its slots, where it lent them to a nested run: that run's work. */
  readonly slot_ms?: number;
  /** Of a task with `for_each`: how long its longest element took, in milliseconds. No schedule makes the task shorter. */
  readonly path_ms?: number;
}

export interface OpenRunOptions {
  /** Only if a wait of the run is due by then: milliseconds since the epoch. @default in any case */
  readonly ifDueBy?: number | undefined;
}

export interface DeleteRunOptions {
  /** False leaves the space of the run in the file until `compact()` is called: for programs that delete many runs. @default true */
  readonly compact?: boolean;
}

/** A person's answer at an approval gate. Plain JSON. */
export interface ApprovalAnswer {
  /** Within the whole run: the ids of the tasks it is in, from the outside in, and its own, joined by `/`. */
  readonly task_id: string;
  /** SHA-256 of what was asked: plan content, resource, input. The answer holds for exactly this; of an edited input, for the edited one. */
  readonly content_hash: string;
  readonly answer: "approve" | "deny";
  /** The resource that was asked about. */
  readonly uid?: string;
  /** The name of the person who answered, as the program that took the answer gave it. */
  readonly by?: string;
  readonly note?: string;
  /** The input that is to be used instead of the one that was asked about. Only with `approve` and `edited_from`. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** The `content_hash` of the question whose input was edited. */
  readonly edited_from?: string;
  /** The result of a call whose outcome was unknown: it was carried out, and is not made again. Only with `approve`. */
  readonly output?: unknown;
  /** ISO 8601, UTC. */
  readonly answered_at: string;
}

/** What a person was asked about a task, beside `uid` and `input` of its record. Plain JSON. */
export interface AskedQuestion {
  /** SHA-256 of what was asked; what an answer is bound to. */
  readonly content_hash: string;
  /** The task's content hash within its plan then. */
  readonly planned_hash: string;
  readonly kind: ExecutionKind;
  /** The task's parameters with references resolved; absent where it has none. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  readonly output_module?: string;
  /** Stage 2's reasoning, if it gave one. */
  readonly plan?: string;
  /** The expression that made the input of the task's arguments. */
  readonly convertor_code?: string;
  /** The plan's revision; absent where the plan was never changed. */
  readonly revision?: string;
  /** The input schema of the resource, for a person who edits the input. */
  readonly input_schema?: JsonSchema;
  /** Why the call is asked about although `confirm` did not say so: it threw, or gave neither `true` nor `false`. */
  readonly confirm_error?: string;
}

/** The fields of the record of a task that a person was asked about which are needed to execute exactly that call. */
export type AskedTask = Pick<TaskRecord, "task_id" | "uid" | "input" | "question" | "asked_hash">;

/** What a task has used in all sessions of a run; what a budget counts. */
export interface TaskUsage {
  /** Calls of an executor, failed ones too. */
  readonly calls: number;
  readonly tokens: number;
  readonly cost: number;
  /** Time in executors. */
  readonly seconds: number;
}

/** How one task ended, or that it waits for approval. One record a task: a later one of the same run replaces an earlier one that was not completed. */
export interface TaskRecord {
  readonly task_id: string;
  /** SHA-256 of the input; empty when it never had one. */
  readonly input_hash: string;
  readonly status: "completed" | "failed" | "skipped" | "waiting_approval";
  /** The resource that executed it. */
  readonly uid?: string;
  /** Left out when over 64 KiB as JSON, unless a person is asked about it; the hash shows whether an input is the same. */
  readonly input?: unknown;
  /** Whole, without a limit of size. */
  readonly output?: unknown;
  /** Size as JSON, in bytes, in place of a large output that was not asked for: `getOutput` reads it. */
  readonly output_bytes?: number;
  readonly error?: TaskError;
  /** Attempts in this session. */
  readonly attempts: number;
  /** Milliseconds since the epoch. */
  readonly started_at: number;
  /** All attempts together. */
  readonly duration_ms: number;
  readonly skipped_because?: string;
  /** Present when something was used; all sessions together. */
  readonly usage?: TaskUsage;
  /** Present when it was executed in this session. */
  readonly timing?: TaskTiming;
  /** SHA-256 of the arguments that Stage 2 was given; present when it was asked. */
  readonly asked_hash?: string;
  /** Present when a person was asked, and the task has not been completed since. */
  readonly question?: AskedQuestion;
}

type Stored<Event> = Event extends { readonly type: string }
  ? Omit<Event, "timestamp" | (Event extends { readonly type: "task-end" } ? "output" : never)> & {
      /** As of `RunEvent`; absent in events of earlier versions. */
      readonly timestamp?: number;
    }
  : never;

/** An event as a journal keeps it: the output of a completed task is in the task's record, not in its `task-end`. */
export type StoredEvent = Stored<RunEvent>;

/** How a task of a nested plan ended. */
export interface NestedRecord {
  /** Ids of the tasks it is in, from the outside in; at least one. */
  readonly path: readonly string[];
  /** Hash of the nested plan and its input; the record holds for these only. */
  readonly scope: string;
  readonly record: TaskRecord;
  /** Of a task that waits for approval: what an answer is bound to. */
  readonly content_hash?: string;
}

/**
 * What a task may have used at most, where that is in no record yet: written before each of its calls where calls are
 * counted, and gone when the task's record is written. So a call that was under way when its process died is counted.
 */
export interface PendingUsage {
  /** Ids of the tasks it is in, from the outside in; empty for one of the run's own plan. */
  readonly path: readonly string[];
  /** As of `NestedRecord`; absent for a task of the run's own plan. */
  readonly scope?: string;
  readonly task_id: string;
  readonly uid?: string;
  /** In all sessions, with all that is reserved. */
  readonly usage: TaskUsage;
  /** Present where a call was begun that may have an effect, and no record says how it ended. */
  readonly begun?: BegunCall;
}

/** A call that was about to be made; whether it was carried out is in no record. Plain JSON. */
export interface BegunCall {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** 1 for the task's first in its session. */
  readonly attempt: number;
  readonly uid: string;
}

/** A model call, Stage 2's answer, or that a change of the plan was asked for. */
export interface CallRecord {
  /** Ids of the tasks it was made in, from the outside in; its own task's last. Empty for a replan. */
  readonly path: readonly string[];
  /**
   * `execute`: by the task's executor. `bind`: by Stage 2. `step`: what Stage 2 answered in the end. `replan`: a change of the
   * plan was asked for; written before the request. `propose`: a model call for such a change.
   */
  readonly purpose: "execute" | "bind" | "step" | "replan" | "propose";
  /** The resource, where it is known. */
  readonly uid?: string;
  readonly request: unknown;
  readonly reply?: unknown;
  readonly error?: string;
  readonly usage?: CallUsage;
  /** End of the call, milliseconds since the epoch. */
  readonly ended_at: number;
  readonly latency_ms: number;
}

/** `now`: running calls are aborted. `drain`: they may end, and nothing more starts; a later `now` overrides it. */
export type CancelMode = "now" | "drain";

/**
 * What another process has changed of a run. `missed`: something may have been changed that was not told; who listens looks at
 * all of it.
 */
export type RunChange = "cancel" | "answers" | "signals" | "events" | "ended" | "missed";

/**
 * Where runs are kept. One process at a time may write a run: it holds the run's lease. What a call has resolved for
 * survives the death of the process. Every method rejects with `RuntimeError`: JOURNAL_* for the store itself, and the
 * codes named below. `journalContract` of `planloom/testing` is what an implementation must pass.
 */
export interface Journal extends ResultCache {
  /** For messages: a file, `memory`. */
  readonly name: string;
  /** Stores a new run, its lease held by `owner`. RUN_EXISTS. */
  createRun(run: StoredRun, owner: LeaseOwner): Promise<void>;
  /**
   * Takes the lease and marks the run as running; its certificate is gone with that. Large outputs may be left out where there is `getOutput`.
   * RUN_NOT_FOUND, RUN_LEASED while another live process has it; NOT_DUE where `ifDueBy` is given, and the run has ended or nothing is due in it.
   */
  openRun(runId: string, owner: LeaseOwner, options?: OpenRunOptions): Promise<{ run: StoredRun; tasks: TaskRecord[] }>;
  /** Stores records all or none. LEASE_LOST when `owner` does not hold the lease any more. */
  record(runId: string, owner: LeaseOwner, records: readonly TaskRecord[]): Promise<void>;
  /** Says that `owner` is alive, and hears what was asked of it since the lease was taken. LEASE_LOST. */
  renewLease(runId: string, owner: LeaseOwner): Promise<{ readonly cancel: CancelMode | false }>;
  /** Asks the process that holds the lease to cancel the run (`mode` is `now` by default); the request ends with the lease. False where no process holds it. RUN_NOT_FOUND. */
  requestCancel(runId: string, mode?: CancelMode): Promise<boolean>;
  /** Writes how the run ended, with what it claims of itself, and gives the lease back. LEASE_LOST. */
  endRun(runId: string, owner: LeaseOwner, status: EndReason, certificate?: StoredCertificate): Promise<void>;
  /**
   * Adds a change to the run's plan, if it was made for the plan as it is: one of two changes made for the same revision is
   * refused. With `owner`: LEASE_LOST when it does not hold the lease; without: RUN_LEASED while a live process runs the
   * run. REVISION_CONFLICT, RUN_NOT_FOUND.
   */
  addRevision(runId: string, revision: StoredRevision, owner?: LeaseOwner): Promise<void>;
  /** True when events are to be kept too. @default false */
  readonly storesEvents?: boolean;
  /** Keeps events, after those that are there. LEASE_LOST. */
  addEvents?(runId: string, owner: LeaseOwner, events: readonly StoredEvent[]): Promise<void>;
  /**
   * In order, session after session; empty where none were kept. RUN_NOT_FOUND.
   * @param options.after only those with a higher `seq`; a store may give more. @default all
   */
  getEvents?(runId: string, options?: { readonly after?: number }): Promise<StoredEvent[]>;
  /** As `record`, for tasks of nested plans; one of the same path, scope and task replaces the one before. */
  recordNested(runId: string, owner: LeaseOwner, records: readonly NestedRecord[]): Promise<void>;
  /** In the order in which they were first recorded. RUN_NOT_FOUND. */
  getNestedTasks(runId: string): Promise<NestedRecord[]>;
  /** Before calls are made: what they may use. One of the same path, scope and task replaces the one before. LEASE_LOST. */
  beginCalls(runId: string, owner: LeaseOwner, pending: readonly PendingUsage[]): Promise<void>;
  /** Of tasks that were begun and have no record since. RUN_NOT_FOUND. */
  getPendingUsage(runId: string): Promise<PendingUsage[]>;
  /** Keeps model calls, after those that are there. LEASE_LOST. */
  recordCalls(runId: string, owner: LeaseOwner, calls: readonly CallRecord[]): Promise<void>;
  /** In order, session after session. @param options.purposes only those of these. @default all. RUN_NOT_FOUND. */
  getCalls(runId: string, options?: { readonly purposes?: readonly CallRecord["purpose"][] }): Promise<CallRecord[]>;
  /** Keeps a person's answer; needs no lease, since another process may run the run. RUN_NOT_FOUND. */
  addAnswer(runId: string, answer: ApprovalAnswer): Promise<void>;
  /**
   * Keeps answers, all or none, if there are exactly `known` answers of the run: what was judged by those is not kept beside others that came
   * meanwhile. Without it, two processes that answer in the same instant may undo one another. @returns whether they were kept. RUN_NOT_FOUND.
   */
  addAnswers?(runId: string, answers: readonly ApprovalAnswer[], known: number): Promise<boolean>;
  /** Oldest first. RUN_NOT_FOUND. */
  getAnswers(runId: string): Promise<ApprovalAnswer[]>;
  // Waits and signals: a journal has all of the following methods or none. Without them a run stays in its process while it waits, and cannot be sent signals.

  /** Keeps what tasks wait for, so that `claimDueRuns` finds it when it is due. A signal that is there already makes a wait due. LEASE_LOST. */
  keepWaits?(runId: string, owner: LeaseOwner, change: WaitChange): Promise<void>;
  /** In the order in which they were first kept. RUN_NOT_FOUND. */
  getWaits?(runId: string): Promise<StoredWait[]>;
  /**
   * Keeps a signal; needs no lease. A wait of this event and key that has not passed its deadline becomes due at once. A second signal of one id is not
   * kept. RUN_NOT_FOUND; RUN_ENDED for a run that has ended; SIGNALS_FULL where `maxPendingSignals` wait to be taken.
   */
  addSignal?(runId: string, signal: StoredSignal): Promise<AddedSignal>;
  /** Oldest first, those that were taken too. RUN_NOT_FOUND. */
  getSignals?(runId: string): Promise<StoredSignal[]>;
  /**
   * For each wait, in their order: the signal that it took before, else the oldest of its event and key that none has taken and that was sent before its
   * deadline. Those that are given have been taken. LEASE_LOST.
   */
  takeSignals?(runId: string, owner: LeaseOwner, waits: readonly StoredWait[]): Promise<StoredSignal[]>;
  /**
   * Runs in which a wait is due by `now`, that have not ended and that no live process executes: due longest first. They are not given to anybody
   * else for `holdMs`, or until their waits are kept again.
   */
  claimDueRuns?(options: { readonly now: number; readonly limit: number; readonly holdMs: number }): Promise<DueRun[]>;
  /** When the next wait that nobody has claimed is due: milliseconds since the epoch. Undefined where none is. */
  nextDue?(): Promise<number | undefined>;
  /** By its whole id: a part of an id is never taken for one. RUN_NOT_FOUND. */
  getRun(runId: string): Promise<StoredRun>;
  /**
   * In the order in which they were first recorded. RUN_NOT_FOUND.
   * @param options.outputs `small`: a store with `getOutput` may leave large ones out, and gives `output_bytes` in their place. @default "all"
   */
  getTasks(runId: string, options?: { readonly outputs?: "all" | "small" }): Promise<TaskRecord[]>;
  /**
   * The output of one task that was completed; a store that has this need not be asked for all outputs at once, and runs on it let
   * large ones leave memory. RUN_NOT_FOUND, TASK_NOT_FOUND for a task that was not completed, JOURNAL_CORRUPT.
   */
  getOutput?(runId: string, taskId: string): Promise<unknown>;
  /**
   * Compares what is stored of the run with the checksums that were made as it was written; absent where the store makes
   * none. RUN_NOT_FOUND.
   */
  checkChecksums?(runId: string): Promise<ChecksumReport>;
  /**
   * Newest first, those that fit every condition. A page ends after `limit` runs; its last run's `cursor` asks for the next.
   * INVALID_OPTION for an unknown condition.
   */
  listRuns(options?: ListRunsOptions): Promise<RunSummary[]>;
  /**
   * Ids that start with `prefix`, in the order of their characters, for a person who types the beginning of one: nothing
   * else of a journal takes a part of an id. @param options.limit @default 20
   */
  findRuns?(prefix: string, options?: { readonly limit?: number }): Promise<string[]>;
  /**
   * Removes all of a run: its plan, records, outputs, calls, answers, events, and the cached outputs that come from it. Nothing
   * of it can be read in the file afterwards. RUN_NOT_FOUND; RUN_LEASED while a live process runs it. @returns the id
   */
  deleteRun(runId: string, options?: DeleteRunOptions): Promise<string>;
  /**
   * Gives the space of what was deleted back to the file system.
   * @returns false where another process's reading keeps a part of it for now; the next call sees to that
   */
  compact?(): Promise<boolean>;
  /**
   * Reports a write of the run that failed after its call had resolved, for a store that writes later.
   * @returns stops that
   */
  watchWrites?(runId: string, onFailure: (error: unknown) => void): () => void;
  /**
   * Calls `listener` soon after a process, this one included, has changed something of the run: a request to cancel it, answers, signals, events, its end. For a store that
   * hears of other processes; callers look from time to time as well, since a change may be told twice or not at all. @returns stops that
   */
  watchChanges?(runId: string, listener: (change: RunChange) => void): () => void;
  /**
   * Where limits that hold over several processes are kept, opened for one of them. Absent where a store cannot: limits are of each
   * process then.
   */
  openLimits?(): Promise<LimitStore>;
  close(): Promise<void>;
}
