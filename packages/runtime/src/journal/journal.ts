import type { JsonSchema } from "@planloom/plan";
import type { ResultCache } from "../cached-output.ts";
import type { EndReason } from "../events.ts";
import type { LimitStore } from "../ports/limit-store.ts";
import type { StoredRevision } from "../ports/stored-revision.ts";
import type { ApprovalAnswer } from "./approval-records.ts";
import type { LeaseOwner } from "./lease.ts";
import type { ChecksumReport } from "./run-chain.ts";
import type { ListRunsOptions, RunFilter } from "./run-filter.ts";
import type { RunSummary } from "./run-summary.ts";
import type { StoredEvent } from "./stored-event.ts";
import type { StoredCertificate, StoredRun } from "./stored-run.ts";
import type { AddedSignal, DueRun, SignalName, StoredSignal, StoredWait, WaitChange } from "./stored-wait.ts";
import type { CallRecord, NestedRecord, PendingUsage, TaskRecord } from "./task-record.ts";

export type { ApprovalAnswer, AskedQuestion } from "./approval-records.ts";
export type { RunSummary, StoredStatus } from "./run-summary.ts";
export type { StoredEvent } from "./stored-event.ts";
export type {
  StoredAdaptiveDispatch,
  StoredCertificate,
  StoredDispatch,
  StoredOptions,
  StoredPrediction,
  StoredRun,
  StoredSubgraph,
} from "./stored-run.ts";
export type {
  AskedTask,
  BegunCall,
  CallRecord,
  NestedRecord,
  PendingUsage,
  TaskRecord,
  TaskTiming,
  TaskUsage,
} from "./task-record.ts";

export interface OpenRunOptions {
  /** Only if a wait of the run is due by then: milliseconds since the epoch. @default in any case */
  readonly ifDueBy?: number | undefined;
  /** The run as it was read before: its plan and options need not be read again, unless the plan has been changed since. @default they are read */
  readonly known?: StoredRun | undefined;
}

/** A run whose lease was taken. */
export interface OpenedRun {
  readonly run: StoredRun;
  readonly tasks: TaskRecord[];
  /** What else a session takes over, where the journal reads it with the rest. @default it is asked for by the method of each */
  readonly takenOver?: TakenOver;
}

/** What a session takes over beside the records of tasks. */
export interface TakenOver {
  /** As `getNestedTasks`. */
  readonly nested: readonly NestedRecord[];
  /** As `getPendingUsage`. */
  readonly pending: readonly PendingUsage[];
  /** As `getAnswers`. */
  readonly answers: readonly ApprovalAnswer[];
  /** As `getWaits`. */
  readonly waits: readonly StoredWait[];
  /** As `getSignals`. */
  readonly signals: readonly StoredSignal[];
}

export interface DeleteRunOptions {
  /** False leaves the space of the run in the file until `compact()` is called: for programs that delete many runs. @default true */
  readonly compact?: boolean;
}

/** `now`: running calls are aborted. `drain`: they may end, and nothing more starts; a later `now` overrides it. */
export type CancelMode = "now" | "drain";

/** Which due runs are claimed, and for how long. */
export interface ClaimDueOptions {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly limit: number;
  readonly holdMs: number;
  /** Fields of the run's metadata with the values that they must have. @default any run */
  readonly metadata?: RunFilter["metadata"];
}

/** What another process has changed of a run. `missed`: a change may have gone unreported; a listener looks at all of them. */
export type RunChange = "cancel" | "answers" | "signals" | "events" | "ended" | "missed";

/**
 * Where runs are kept. One process at a time may write a run: it holds the run's lease. What a call has resolved for
 * survives the death of the process. Every method rejects with `RuntimeError`: JOURNAL_* for the store itself, and the
 * codes named below. `journalContract` of `planloom/testing` is what an implementation must pass.
 */
export interface Journal extends ResultCache {
  /** For messages: a file, `memory`. */
  readonly name: string;
  /** How often who holds a run says so (`renewLease`), in milliseconds: less than the silence after which it may be replaced. @default 5_000 */
  readonly leaseRenewalMs?: number;
  /** Stores a new run, its lease held by `owner`. RUN_EXISTS. */
  createRun(run: StoredRun, owner: LeaseOwner): Promise<void>;
  /**
   * Takes the lease and marks the run as running; its certificate is gone with that. Large outputs may be left out where there is `getOutput`.
   * RUN_NOT_FOUND, RUN_LEASED while another live process has it; NOT_DUE where `ifDueBy` is given, and the run has ended or nothing is due in it.
   */
  openRun(runId: string, owner: LeaseOwner, options?: OpenRunOptions): Promise<OpenedRun>;
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
  /**
   * Adds several changes to the plan of a run that no process executes, each made for the plan after the one before: all or none. Errors as those of `addRevision`. Without
   * it they are added one by one, and a process that dies in between leaves the plan with some of them.
   */
  addRevisions?(runId: string, revisions: readonly StoredRevision[]): Promise<void>;
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
  /** What tasks may have used that were begun and have no record since. RUN_NOT_FOUND. */
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
  /**
   * Oldest first. @param options.after leaves out so many of the oldest; a journal that gives them all the same is right, and slow where people answer thousands of calls. @default 0.
   * RUN_NOT_FOUND.
   */
  getAnswers(runId: string, options?: { readonly after?: number }): Promise<ApprovalAnswer[]>;
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
  /**
   * Schemas of the waits for this event in the plan as it is now (`signalSchemasOf`), of which the data of a signal has to fit one; empty where it need not. A journal that has this
   * keeps them, so that a signal costs the same whatever the size of the plan; without it the plan is read for each signal. RUN_NOT_FOUND.
   */
  getSignalSchemas?(runId: string, event: string): Promise<readonly JsonSchema[]>;
  /**
   * What the signals that no task has taken are for, each event and key once. Without it a process that hears of a signal from elsewhere asks for all that its run waits for. RUN_NOT_FOUND.
   */
  getPendingSignals?(runId: string): Promise<readonly SignalName[]>;
  /** Oldest first, those that were taken too. RUN_NOT_FOUND. */
  getSignals?(runId: string): Promise<StoredSignal[]>;
  /**
   * For each wait, in their order: the signal that it took before, else the oldest of its event and key that none has taken and that was sent before its
   * deadline. Those that are given have been taken. LEASE_LOST.
   */
  takeSignals?(runId: string, owner: LeaseOwner, waits: readonly StoredWait[]): Promise<StoredSignal[]>;
  /**
   * Runs in which a wait is due by `now`, that have not ended and that no live process executes: due longest first. They are not given to anybody
   * else for `holdMs`, or until their waits are kept again. Runs without the fields of `metadata` are left for others.
   */
  claimDueRuns?(options: ClaimDueOptions): Promise<DueRun[]>;
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
   * hears of other processes; callers look from time to time as well, since a change may be announced twice or not at all. @returns stops that
   */
  watchChanges?(runId: string, listener: (change: RunChange) => void): () => void;
  /**
   * Where limits that hold over several processes are kept, opened for one of them. Absent where a store cannot: limits are of each
   * process then.
   */
  openLimits?(): Promise<LimitStore>;
  close(): Promise<void>;
}
