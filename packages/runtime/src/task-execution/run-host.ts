import type { AnswerStore } from "../approvals/answer-store.ts";
import type { RunState } from "../core/run-state.ts";
import type { EndReason, RunEvent } from "../events.ts";
import type { RunFeed } from "../feed/run-feed.ts";
import type { CallRecord, NestedRecord } from "../journal/journal.ts";
import type { LiveTask } from "../live-tasks.ts";
import type { NestedPlace } from "../nested-keeping.ts";
import type { AbandonedCall } from "../ports/abandoned-call.ts";
import type { StoredRevision } from "../ports/stored-revision.ts";
import type { SecretResolver } from "../secrets/secret-resolver.ts";
import type { RunWaits } from "../waiting/run-waits.ts";
import type { AbandonedSlots } from "./abandoned-slots.ts";
import type { CallRecorder } from "./call-recorder.ts";
import type { CallRights } from "./call-rights.ts";
import type { FamilyLimits } from "./family-limits.ts";
import type { RecordWriter } from "./journal-writer.ts";
import type { PlanPosition } from "./plan-position.ts";
import type { RunnablePlan } from "./runnable-plan.ts";
import type { TaskTable } from "./task-table.ts";

/**
 * What the execution of a plan has around it. There is one host for each of a run that is kept in a journal, a run that is kept nowhere, a
 * plan within a task, the elements of a list, a subgraph in this process and a subgraph in a worker process (`runtime/hosts`). Each implements every member, so that
 * code that executes a plan never asks which of them it has. A new capability is a new member, and does not compile until each host has it.
 */
export interface RunHost {
  /** Where the plan is within the run. */
  readonly position: PlanPosition;
  /** Prefix of idempotency keys: the run, and the tasks a nested plan is in. */
  readonly keyPrefix: string;
  /** How many runs it is within; 0 for the outermost one of this process. */
  readonly depth: number;

  /** Gets each event of the run of this plan. */
  readonly onEvent: ((event: RunEvent) => unknown) | undefined;
  /** Passes events to the subscribers of the run; absent where the run cannot be found by its id. */
  readonly feed: RunFeed | undefined;
  /** Number of the first event. */
  readonly firstSeq: number;
  /** Reads answers of people that were stored meanwhile; absent where the host around this one does that. */
  readonly readAnswers: (() => Promise<void>) | undefined;

  /** What the run and all that is nested in it waits for. */
  readonly waits: RunWaits;
  /** How long the plan may stay in its process only because tasks wait for a time, in milliseconds. */
  readonly waitHereMs: number;
  /** Gives the permits for calls. */
  readonly rights: CallRights;
  /** The source of secrets; absent where the run has none. */
  readonly secrets: SecretResolver | undefined;
  /** When it is aborted, nothing more starts, and running calls may end. */
  readonly drain: AbortSignal | undefined;
  /** Whether a failure outside of this plan keeps anything more from starting. */
  isHalted(): boolean;
  /**
   * Called when an attempt was abandoned, before its slots and reservations are given back; a host that can end its work does so.
   * @param slots the slots of the run's limits that it holds, if any. @returns a function to call when its work has ended
   */
  abandoned(call: AbandonedCall, slots: AbandonedSlots | undefined): () => void;

  /** Records model calls, and what a call may use before it is made; absent where the run is kept nowhere. */
  readonly callRecorder: CallRecorder | undefined;
  /** Makes the writer of task records; undefined where they are not kept. @param onError called once, when a record cannot be written */
  writer(run: OpenRun, onError: (error: unknown) => void): RecordWriter | undefined;
  /** The same for a plan nested in this one at any depth. @param hashOf gives the content hash of a task in which a call waits */
  nestedWriter(
    place: NestedPlace,
    hashOf: (taskId: string) => string,
    onError: (error: unknown) => void,
  ): RecordWriter | undefined;
  /** Keeps the records of nested tasks that a dispatcher of the plan executed. */
  keepNested(records: readonly NestedRecord[]): Promise<void>;
  /** What is kept so far of elements of lists and of nested plans. */
  keptNested(): Promise<readonly NestedRecord[]>;
  keepCalls(calls: readonly CallRecord[]): Promise<void>;
  /** Keeps a change of the plan. */
  keepRevision(revision: StoredRevision): Promise<void>;

  /** Called when the execution begins. */
  open(run: OpenRun): void;
  /** Called when nothing runs any more. Resolves when everything is kept, or with the error that prevents it. */
  settle(): Promise<{ readonly error: unknown } | undefined>;
  /** Called when the execution has ended. Resolves when its end is kept. */
  end(run: OpenRun, ended: EndedRun): Promise<void>;
  /** Called in place of `end` when the run cannot be kept any more. */
  giveUp(error: unknown): Promise<void>;
  /** Called last, however the execution ended. */
  close(): void;
}

/** A plan while it is executed, as its host sees it. */
export interface OpenRun {
  readonly runnable: RunnablePlan;
  readonly state: RunState;
  readonly table: TaskTable;
  readonly family: FamilyLimits;
  readonly answers: AnswerStore;
  /** `performance.now()` at its start. */
  readonly startedAt: number;
  /** Hash of the content of a task. */
  hashOf(taskId: string): string;
  /** The present state of every task, by id. */
  liveTasks(): ReadonlyMap<string, LiveTask>;
  /** Starts nothing more and aborts running calls. */
  cancel(reason: unknown): void;
  /** Marks tasks to be replaced; absent where the plan does not change. */
  readonly mark: ((taskIds: readonly string[], note: string | undefined) => Promise<void>) | undefined;
}

export interface EndedRun {
  readonly endReason: EndReason;
  readonly achievedMs: number;
  readonly event: RunEvent;
  /** Number of the event after it. */
  readonly nextSeq: number;
}
