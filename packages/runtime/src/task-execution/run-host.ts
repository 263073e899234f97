import type { AnswerStore } from "../approvals/answer-store.ts";
import type { RunState } from "../core/run-state.ts";
import type { EndReason, RunEvent } from "../events.ts";
import type { RunFeed } from "../feed/run-feed.ts";
import type { CallRecord, NestedRecord } from "../journal/journal.ts";
import type { LiveTask } from "../live-tasks.ts";
import type { NestedPlace } from "../nested-keeping.ts";
import type { AbandonedCall } from "../ports/abandoned-call.ts";
import type { StoredRevision } from "../ports/stored-revision.ts";
import type { SecretSource } from "../secrets/secret-source.ts";
import type { CallRecorder } from "./call-recorder.ts";
import type { CallRights } from "./call-rights.ts";
import type { RecordWriter } from "./journal-writer.ts";
import type { LimitPool } from "./limit-pool.ts";
import type { PlanPosition } from "./plan-position.ts";
import type { PreparedPlan } from "./prepare-plan.ts";
import type { StrayCall } from "./stray-calls.ts";
import type { TaskTable } from "./task-table.ts";

/**
 * What the execution of a plan has around it. A run that is kept in a journal, one that is kept nowhere, a plan within a task, a subgraph
 * and a subgraph in a worker process each are a host of their own, and answer every question here: nothing that executes a plan asks
 * which kind it is. A new capability is a member here, and does not compile until each has answered; a new kind is one more file.
 */
export interface RunHost {
  /** Where the plan is within the run. */
  readonly position: PlanPosition;
  /** Prefix of idempotency keys: the run, and the tasks a nested plan is in. */
  readonly keyPrefix: string;
  /** How many runs it is within; 0 for the outermost one of this process. */
  readonly depth: number;

  /** Whom it tells: hears each event of the plan's run. */
  readonly onEvent: ((event: RunEvent) => unknown) | undefined;
  /** Whoever subscribes to the run while it goes on; absent where it cannot be found by its id. */
  readonly feed: RunFeed | undefined;
  /** Number of its first event. */
  readonly firstSeq: number;
  /** Whom people's answers are asked for, beside those that come by themselves; absent where that is somebody else's. */
  readonly readAnswers: (() => Promise<void>) | undefined;

  /** Who permits calls. */
  readonly rights: CallRights;
  /** Where secrets come from; absent where the run is given none. */
  readonly secrets: SecretSource | undefined;
  /** Aborted: nothing more starts, and what runs may end. */
  readonly drain: AbortSignal | undefined;
  /** Whether a failure elsewhere keeps anything more from starting. */
  isHalted(): boolean;
  /**
   * An attempt was abandoned; whoever can end it does. Called before what it had is given back.
   * @param slots what it holds in the run's limits, where it holds slots. @returns what to call when it has ended
   */
  abandoned(call: AbandonedCall, slots: StrayCall | undefined): () => void;

  /** What it keeps: model calls, and what calls may use before they are made; absent where the run is kept nowhere. */
  readonly callRecorder: CallRecorder | undefined;
  /** How the plan's tasks end; absent where nobody keeps that. @param onError told once it cannot be kept any more */
  writer(run: OpenRun, onError: (error: unknown) => void): RecordWriter | undefined;
  /** The same, of a plan nested in this one, however deep. @param hashOf of a task in which something waits */
  nestedWriter(
    place: NestedPlace,
    hashOf: (taskId: string) => string,
    onError: (error: unknown) => void,
  ): RecordWriter | undefined;
  /** What was executed for the plan by a dispatcher of it. */
  keepNested(records: readonly NestedRecord[]): Promise<void>;
  keepCalls(calls: readonly CallRecord[]): Promise<void>;
  /** A change of the plan. */
  keepRevision(revision: StoredRevision): Promise<void>;

  /** The execution begins. */
  open(run: OpenRun): void;
  /** Nothing runs any more. Resolves when all that was told is kept, with why it is not, if it cannot be. */
  settle(): Promise<{ readonly error: unknown } | undefined>;
  /** It ended; resolves when that is kept. */
  end(run: OpenRun, ended: EndedRun): Promise<void>;
  /** It cannot be kept any more, and is given up. */
  giveUp(error: unknown): Promise<void>;
  /** Last of all, however it ended. */
  close(): void;
}

/** A plan while it is executed, as its host sees it. */
export interface OpenRun {
  readonly prepared: PreparedPlan;
  readonly state: RunState;
  readonly table: TaskTable;
  readonly pool: LimitPool;
  readonly answers: AnswerStore;
  /** `performance.now()` at its start. */
  readonly startedAt: number;
  /** Hash of the content of a task. */
  hashOf(taskId: string): string;
  /** What is known now of every task, by id. */
  liveTasks(): ReadonlyMap<string, LiveTask>;
  /** Starts nothing more and stops what runs. */
  cancel(reason: unknown): void;
  /** Marks tasks to be planned anew; absent where the plan does not change. */
  readonly mark: ((taskIds: readonly string[], note: string | undefined) => void) | undefined;
}

export interface EndedRun {
  readonly endReason: EndReason;
  readonly achievedMs: number;
  readonly event: RunEvent;
  /** Number of the event after it. */
  readonly nextSeq: number;
}
