import type { EstimateData, Resource, RetryPolicy, TaskData } from "@planloom/plan";
import type { CallPermitSource } from "../../admission/call-permit.ts";
import type { ResultCache } from "../../cached-output.ts";
import type { ConfirmLevel } from "../../confirm.ts";
import type { RunEvent } from "../../events.ts";
import type {
  ApprovalAnswer,
  AskedQuestion,
  AskedTask,
  CallRecord,
  NestedRecord,
  TaskUsage,
} from "../../journal/journal.ts";
import type { KnownWaits, StoredWait } from "../../journal/stored-wait.ts";
import type { AbandonedCall } from "../../ports/abandoned-call.ts";
import type { FailedTask } from "../../ports/failed-task.ts";
import type { RetryOn } from "../../ports/retry.ts";
import type { TaskResult, Usage } from "../../run-result.ts";
import type { BegunPlace } from "../../task-execution/begun-calls.ts";
import type { DispatchCosts, PreparationOptions } from "./dispatch-costs.ts";

/** One subgraph as it is sent to its executor. Plain JSON. */
export interface DispatchRequest {
  readonly run_id: string;
  readonly subgraph_id: string;
  /** The subgraph's tasks, and, as completed ones, those of other subgraphs whose outputs they need. */
  readonly plan: TaskData;
  /** Ready tasks are to start in the order in which the plan lists them, since other subgraphs wait for single outputs. @default longest remaining path first */
  readonly in_order?: boolean;
  /** What references call `input`. */
  readonly input: Readonly<Record<string, unknown>>;
  readonly settings: {
    /** `null` is unlimited. */
    readonly task_timeout_ms: number | null;
    /** False where the run has the default, so that a model has its own limit. @default what it is by its value */
    readonly task_timeout_given?: boolean;
    /** The most that `timeout_ms` and `retry` of any task can ask for. */
    readonly max_task_timeout_ms: number | null;
    readonly max_attempts: number | null;
    readonly retry: RetryPolicy | null;
    readonly retry_on: RetryOn | null;
    readonly on_failure: "continue" | "halt";
    readonly on_unknown: "ask" | "retry" | "fail";
    readonly total_timeout_ms: number | null;
    readonly idle_timeout_ms: number | null;
    readonly bind_timeout_ms: number | null;
    readonly bind_estimate: EstimateData | null;
    readonly max_output_bytes: number | null;
    /** Whether errors say where they were thrown. @default true */
    readonly error_stacks?: boolean;
    /** Whether `reportThrown` is to be called with what attempts and bindings throw. @default false */
    readonly tells_errors?: boolean;
    readonly abort_grace_ms: number | null;
    /** What calls use is counted. */
    readonly counts_usage: boolean;
    /** What outputs and workflows say is asked for: `calls.learn`. */
    readonly learns: boolean;
    /** Whether `calls` must be asked before each call: the run has limits by kind or resource, rates, budgets, guards, gates, secrets or a cache. @default true */
    readonly asks?: boolean;
    /** Whether signals can be sent to the run; where not, a task that waits for one fails. @default false */
    readonly takes_signals?: boolean;
    /** How many elements of a list are under way at once where the list does not say, `null` for all: those that wait hold no slot. @default 1 */
    readonly elements_at_once?: number | null;
    /** Resources (`kind:uid`) whose outputs may be used again, and how old, in milliseconds (`null`: any age); `null`: none. */
    readonly cache: { readonly resources: readonly string[]; readonly max_age_ms: number | null } | null;
  };
  /** Ids of resources whose every use needs approval, what was answered, and what answers and the cache go by, by task id. */
  readonly approval: {
    readonly resources: readonly string[];
    /** Ids of resources whose calls need no confirmation. @default none */
    readonly allow?: readonly string[];
    /** Which calls are confirmed by a person. @default "never" */
    readonly confirm?: ConfirmLevel;
    readonly answers: readonly ApprovalAnswer[];
    readonly content_hashes: Readonly<Record<string, string>>;
    /** How long a yes holds, in milliseconds. @default for ever */
    readonly expires_after_ms?: number | null;
  };
  /** Those of its tasks that people were asked about: once approved, exactly what was asked is executed. */
  readonly asked?: readonly AskedTask[];
  /** What is known of tasks nested in its tasks: those that are completed are not to be executed again. */
  readonly nested: readonly NestedRecord[];
  /** Those tasks and elements of lists among these that failed or were skipped, and are not to be tried again: `path`, `scope` and task id, as a JSON list each. @default none */
  readonly lost_tasks?: readonly string[];
  /**
   * Whether tasks that failed in an earlier session of the run are tried again, since somebody has resumed it: of the first dispatch of a subgraph in such a session. A dispatcher that keeps
   * subgraphs as runs of their own has to know, as it continues them without that where a worker is gone. @default false
   */
  readonly retry_failed?: boolean;
  /** What its tasks have used so far, by task id. */
  readonly usage: Readonly<Record<string, TaskUsage>>;
  /** How often its tasks were attempted in earlier dispatches of this session, by task id. @default never */
  readonly attempts?: Readonly<Record<string, number>>;
  /** Calls of its tasks, and of tasks nested in them, that were begun before and whose outcome is unknown. */
  readonly begun: readonly BegunPlace[];
  /** What its tasks, and tasks within them, have begun to wait for, and the signals that came for it. @default nothing */
  readonly waits?: KnownWaits;
  /** W3C trace context of the dispatch (`traceparent`, `tracestate`, `baggage`), for a worker's own spans and requests. @default none */
  readonly trace?: Readonly<Record<string, string>>;
}

/** A report that a task ended, or waits for a person, made when it does. Plain JSON; times are milliseconds since the dispatch. */
export interface TaskReport {
  readonly result: TaskResult;
  /** In all sessions; where budgets or guards count it. */
  readonly usage?: TaskUsage;
  /** SHA-256 of the arguments that Stage 2 was given, where it was asked. */
  readonly asked_hash?: string;
  /** What a person is asked about the task, beside `uid` and `input` of the result. */
  readonly question?: AskedQuestion;
  /** Start and end of each attempt, where there was more than one. */
  readonly spans?: readonly (readonly [number, number])[];
  /** How long it held its slots, where it lent them to a nested plan. */
  readonly slot_ms?: number;
  /** How long the longest element of a task with `for_each` took. */
  readonly path_ms?: number;
}

export interface DispatchReply {
  /**
   * One a task of the request that was not completed already and was not reported. Tasks that wait for a time or a signal (`waiting`), and those behind
   * them, which have no result, are dispatched again when it has come.
   */
  readonly results: readonly TaskResult[];
  /** All that its tasks, and tasks within them, wait for now. Absent where the process of the run knows it: `runHere`. */
  readonly waits?: readonly StoredWait[];
  readonly usage: Usage;
  /** By task id, where budgets or guards count it. */
  readonly task_usage?: Readonly<Record<string, TaskUsage>>;
}

export interface DispatchContext {
  /** Aborted on cancel; the dispatcher stops the subgraph's work and then settles. */
  readonly signal: AbortSignal;
  /** Passes on an event of the subgraph as it happens. */
  onEvent(event: RunEvent): void;
  /**
   * Takes how a task ended as soon as it has. Resolves when it is in the journal: only then what depends on it may start.
   * Rejects when it cannot be written; nothing more may start then. What is not reported is taken from the reply.
   */
  report(report: TaskReport): Promise<void>;
  /** Takes how tasks of nested plans ended; resolves and rejects as `report`. */
  reportNested(records: readonly NestedRecord[]): Promise<void>;
  /** Keeps model calls; resolves and rejects as `report`. */
  reportCalls(calls: readonly CallRecord[]): Promise<void>;
  /**
   * Reports that a call ignored its signal and still runs. `signal` is aborted then, and the dispatcher has to end the process that makes the call:
   * until `dispatch` settles, the call keeps its slots. What the subgraph has left is dispatched again.
   */
  reportAbandoned(call: AbandonedCall): void;
  /** Reports what an executor or Stage 2 threw, for `onError` of the run. */
  reportThrown(thrown: unknown, about: FailedTask): void;
  /** Where the right to make a call is asked for: the run's limits, rates, guards, budgets, and whether it was halted. */
  readonly calls: CallPermitSource;
  /** Outputs that may be used again, where the run has a cache. */
  readonly cache?: ResultCache | undefined;
  /**
   * The text of a secret for a call of a resource (`kind`, `id`), if the run is given it and it is for that resource; never to be kept.
   * @throws TaskFailure SECRET (rejects)
   */
  revealSecret(name: string, resource: Resource): Promise<string>;
  /** Calls `listener` with answers of people that come while the subgraph runs. @returns stops that */
  onAnswer(listener: (answer: ApprovalAnswer) => void): () => void;
  /** Runs the subgraph in this process: with the run's executors, limits, budgets, guards and gates. */
  runHere(): Promise<DispatchReply>;
}

/**
 * Executes whole subgraphs, each call one: their tasks one after the other. Settles only when the subgraph's work has stopped. A rejection fails all of its
 * tasks that can start.
 */
export interface Dispatcher {
  readonly name: string;
  /**
   * True when every call is made by `runHere`, or asked for at `calls`, and gates are minded: only then may budgets, guards,
   * gates and limits be asked for. @default false
   */
  readonly governed?: boolean;
  /**
   * True when each task of a subgraph is reported as soon as it has ended: a `Planloom` then dispatches others on its output while the subgraph still runs (`pipelined`). @default false
   */
  readonly reportsTasks?: boolean;
  /**
   * Gets ready for so many subgraphs at once, as far as it can beforehand, and says what a dispatch costs. Plans are then grouped for these costs.
   * @default what the optimizer assumes: the mean estimate of the plan's tasks
   */
  prepare?(subgraphs: number, options?: PreparationOptions): Promise<DispatchCosts>;
  dispatch(request: DispatchRequest, context: DispatchContext): Promise<DispatchReply>;
}

/** Executes subgraphs in this process. */
export function inProcessDispatcher(): Dispatcher {
  return {
    name: "in-process",
    governed: true,
    reportsTasks: true,
    prepare: () => Promise.resolve({ overheadMs: 0, overheadP95Ms: 0, measured: 0 }),
    dispatch: (_, context) => context.runHere(),
  };
}
