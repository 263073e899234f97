import type { Bind, EstimateData, Executor, RetryPolicy, SubGraph } from "@planloom/plan";
import type { Confirm } from "../../confirm.ts";
import type { Dispatcher } from "../../dispatch/port/dispatcher.ts";
import type { RunEvent } from "../../events.ts";
import type { ApprovalAnswer, Journal } from "../../journal/journal.ts";
import type { AdaptiveDispatchOptions } from "../../ports/adaptive-dispatch.ts";
import type { BudgetOptions } from "../../ports/budget.ts";
import type { DispatchPrediction } from "../../ports/dispatch-prediction.ts";
import type { GuardPolicy, GuardPolicyName } from "../../ports/guard-policy.ts";
import type { Replan, ReplanPolicy } from "../../ports/replan-policy.ts";
import type { RetryOn } from "../../ports/retry.ts";
import type { TurnOptions } from "../../ports/run-claim.ts";
import type { RunSemantics } from "../../ports/run-semantics.ts";
import type { CacheOptions } from "../../result-cache.ts";
import type { RunLimits } from "../../run-limits.ts";
import type { Secrets } from "../../secrets/secrets.ts";
import type { SharedLimits } from "../../shared-limits/shared-limits.ts";
import type { TenantOptions } from "../../shared-limits/shared-options.ts";

/** An answer that is handed in; `answered_at` is now by default. */
export type GivenAnswer = Omit<ApprovalAnswer, "answered_at"> & Partial<Pick<ApprovalAnswer, "answered_at">>;

/** Gates of a run, beside those that tasks have themselves (`approval: "required"`). */
export interface ApprovalOptions {
  /** Ids of resources whose every use a person must approve, also where the task requires no approval. */
  readonly resources?: readonly string[];
  /** Ids of resources whose calls need no confirmation under any `confirm`; gates stay. */
  readonly allow?: readonly string[];
  /**
   * Answers to a run that ended waiting and had no journal: `task_id` and `content_hash` of its results, or of the calls that wait
   * in them. An answer holds for exactly what was asked; where the input comes out differently now, it is asked again.
   */
  readonly answers?: readonly GivenAnswer[];
  /** How long a yes holds, in milliseconds: a task that starts later is asked about again. @default Infinity */
  readonly expiresAfterMs?: number;
}

/** See `RunOptions.onUnknown`. */
export type OnUnknown = "ask" | "retry" | "fail";

/** How a run is executed, limited, kept and watched. Only `executors` is required. */
export interface RunOptions {
  /** Who executes steps; each resource has one. */
  readonly executors: readonly Executor[];
  /** Stage 2. @default the pinned resource with the task's arguments as they are */
  readonly bind?: Bind | undefined;
  /** Where the run is kept, so that it can be resumed. @default nowhere */
  readonly journal?: Journal | undefined;
  /** Tasks at once, an integer of at least 1, or `Infinity`. @default 4 */
  readonly concurrency?: number | undefined;
  /** Tasks at once and calls in a time, by kind and resource. @default none beside `concurrency` */
  readonly limits?: RunLimits | undefined;
  /** Limit per attempt, in milliseconds; `Infinity` for none. A task's `timeout_ms` overrides it, up to `maxTaskTimeoutMs`. @default 60_000; of llm tasks the limit of their model (180_000 of `openaiModel`) */
  readonly taskTimeoutMs?: number | undefined;
  /**
   * The most that `timeout_ms` of any task can ask for, in milliseconds, in any plan; more counts as this. `Infinity` for none.
   * @default one hour, or `taskTimeoutMs` where that is more
   */
  readonly maxTaskTimeoutMs?: number | undefined;
  /** Limit for all attempts of a task and the waits between them, in milliseconds. @default Infinity */
  readonly totalTimeoutMs?: number | undefined;
  /** How long an attempt may go without progress (`onProgress`), in milliseconds. @default Infinity */
  readonly idleTimeoutMs?: number | undefined;
  /** Limit for Stage 2 of one task, in milliseconds. @default 180_000 */
  readonly bindTimeoutMs?: number | undefined;
  /** What one model call of Stage 2 may use at most, for budgets. @default unknown: it gets all that is left, and runs alone */
  readonly bindEstimate?: EstimateData | undefined;
  /**
   * For all tasks; a task's `retry` overrides it.
   * @default 3 attempts for llms and for resources that are read-only or idempotent, else 1
   */
  readonly retry?: RetryPolicy | undefined;
  /**
   * Attempts of any task at most, an integer of at least 1, or `Infinity`, in any plan: `retry` with more counts as this.
   * @default 10, or what `retry` and `retryOn` of the run allow where that is more
   */
  readonly maxAttempts?: number | undefined;
  /** By class of error, before `retry`; a task's `retry` overrides it. @default client errors are not tried again */
  readonly retryOn?: RetryOn | undefined;
  /**
   * What several runs may do together: calls at once, rates, budgets and runs at once. All runs that are given the same object share
   * it; the options of a run itself can only narrow it. @default none
   */
  readonly shared?: SharedLimits | undefined;
  /** The tenant that the run counts for in `shared`: a key, or a key with limits of its own. @default "", the tenant of all runs without one */
  readonly tenant?: string | TenantOptions | undefined;
  /** Where runs share limits (`shared`): calls of a run with a higher one go first, but every fourth turn goes by weight alone. @default 0 */
  readonly priority?: TurnOptions["priority"];
  /** Where runs share limits: its share of slots beside runs with the same priority and deadline, above 0. @default 1 */
  readonly weight?: TurnOptions["weight"];
  /**
   * Where runs share limits: when the run should have ended. Of runs with the same priority the one with the earliest goes first. Nothing is cancelled when it
   * is over. A `Date`, milliseconds since the epoch, or ISO 8601 with a zone. @default none
   */
  readonly deadline?: TurnOptions["deadline"];
  /** What may be spent; see `Budget`. A call is made only when what it may need is left. @default unlimited */
  readonly budgets?: BudgetOptions | undefined;
  /** Caps on calls: a preset of mcp-cli or a policy of your own. @default none */
  readonly guards?: GuardPolicyName | GuardPolicy | undefined;
  /**
   * How often one resource may be called with one input beyond the plan's own tasks: by repeated attempts, and by nested
   * plans. `Infinity` for no limit. @default 100
   */
  readonly maxRepeats?: number | undefined;
  /**
   * After a task failed: `continue` skips what depends on it and finishes the rest; `halt` starts nothing more.
   * A task's `on_failure` overrides it. @default "continue"
   */
  readonly onFailure?: "continue" | "halt" | undefined;
  /**
   * What becomes of a call that was begun and of which it is unknown whether it was carried out, since the process died or the run was
   * cancelled in the midst of it. `ask`: the task waits for a person, who says whether to make it again, to skip it, or what it gave;
   * `retry`: it is made again, and none is noted; `fail`: the task fails. Calls of resources that are read-only or idempotent, of llms,
   * and of resources that call tools by themselves (workflows, agents with a model) are made again in any case. @default "ask"
   */
  readonly onUnknown?: OnUnknown | undefined;
  /** When the plan is changed while it runs; `replan` is asked for the change. @default never, but see `ReplanPolicy.on` */
  readonly replanPolicy?: ReplanPolicy | undefined;
  /** Proposes new tasks in the place of others. */
  readonly replan?: Replan | undefined;
  /** Resources whose outputs are reused instead of calling. @default none */
  readonly cache?: CacheOptions | undefined;
  /** The values of `{"$secret": "NAME"}` in arguments, filled in for the call alone. Never kept: a resumed run is given them again. @default none */
  readonly secrets?: Secrets | undefined;
  /** Which tasks wait for a person, in addition to those with `approval: "required"`, and what was answered. */
  readonly approval?: ApprovalOptions | undefined;
  /**
   * Which calls a person confirms before they are made, wherever they come from; they wait as tasks with a gate do. `writes`: all but those
   * of resources declared read-only; `destructive`: those of resources declared destructive; `never`: none; or a function that gives
   * `false` for calls without confirmation. `approval.allow` names resources that are exempt. @default "never"
   */
  readonly confirm?: Confirm | undefined;
  /** Override the plan's variables; new names are added, but refused where one of the plan's is surely meant. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
  /** What references call `input`. @default {} */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
  /** @default a random id of letters and digits */
  readonly runId?: string | undefined;
  /** Aborting it cancels the run: nothing more starts, and running calls are aborted. With `new ShutDown()` as the reason it ends as `shut_down`. */
  readonly signal?: AbortSignal | undefined;
  /** Aborting it lets running calls end and starts nothing more; the run ends as `drained`, to be resumed. */
  readonly drain?: AbortSignal | undefined;
  /**
   * Limit for one call of the journal, and of the cache's store unless that has its own, in milliseconds; `Infinity` for none. A journal
   * that does not settle in time ends the run with RUNTIME_JOURNAL_TIMEOUT. @default 30_000
   */
  readonly journalTimeoutMs?: number | undefined;
  /**
   * How long a run may stay in its process only because tasks wait for a time (`wait`, `retry_until`), in milliseconds. Where every remaining task waits
   * longer, or for a signal, the run ends as `waiting`, to be resumed when something is due. @default 5_000
   */
  readonly waitHereMs?: number | undefined;
  /** How long an executor may take to obey its signal before it is abandoned, in milliseconds; `Infinity`: it is waited for. @default 5_000 */
  readonly abortGraceMs?: number | undefined;
  /** Largest output of a task as JSON, in bytes. @default 67_108_864 */
  readonly maxOutputBytes?: number | undefined;
  /**
   * Which outputs of 16 KiB and more the result holds, where the journal can give them back one by one (`Journal.getOutput`, as SQLite
   * can); the others are named in `stored_outputs`. `auto`: all, unless they took more than `outputMemoryBytes` together; then
   * none. `all`: all, without regard to memory. `sinks`: those of `output_data`. `none`: none. @default "auto"
   */
  readonly outputs?: ResultOutputs | undefined;
  /**
   * Memory that outputs and inputs of 16 KiB and more of ended tasks may take, as bytes of JSON, where the journal can give outputs
   * back: beyond that the longest unused leave memory, and are read again for tasks that need them. With a `replanPolicy`, and
   * where subgraphs are dispatched, all stay in memory. @default 33_554_432
   */
  readonly outputMemoryBytes?: number | undefined;
  /** Called with everything that happens, in order. What it throws is ignored. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
  /** Whether `details.error_stack` of a task's error says where it was thrown; stacks name files of this machine. @default true */
  readonly errorStacks?: boolean | undefined;
  /**
   * Called with what an executor threw, the very value (without the secrets of the run, where it shows one), each time an attempt or a
   * binding fails; of one in a worker process an error with the same name, message, code, status, stack and causes. What it throws is
   * ignored.
   */
  readonly onError?: ((thrown: unknown, about: FailedAttempt) => void) | undefined;
  /**
   * Asked before each attempt starts; a promise is awaited first, for at most `paceTimeoutMs`. It is for consumers that must keep up with the run.
   * What it rejects with is ignored. Cancelling does not wait for it.
   */
  readonly pace?: (() => Promise<unknown> | undefined) | undefined;
  /**
   * How long `pace` may keep an attempt waiting, in milliseconds; `Infinity` for as long as it likes. After one that has kept an attempt
   * longer, it is not asked again in this run, and a warning says so. @default 600_000
   */
  readonly paceTimeoutMs?: number | undefined;
  /** The optimizer's grouping; results name their subgraph. */
  readonly subgraphs?: readonly SubGraph[] | undefined;
  /**
   * `streaming`: tasks start individually, as they become ready. `atomic`: each of `subgraphs` goes whole to the dispatcher
   * once all that it depends on have ended, its tasks run one after the other, and `concurrency` is subgraphs at once. `pipelined`: as `atomic`, but a subgraph goes once all tasks of
   * others have ended whose outputs its own tasks read, while these others may still run; its tasks run in the order in which it lists them.
   * @default "streaming"
   */
  readonly semantics?: RunSemantics | undefined;
  /**
   * Ids of all `subgraphs` in the order in which they are to be dispatched, each after those it depends on: the next one takes
   * the first free slot, and no later one overtakes it while it waits. `Optimized.dispatchOrder` where the optimizer's grouping
   * needs one. Only where subgraphs are dispatched. @default of the ready ones, the one with the longest remaining path first
   */
  readonly dispatchOrder?: readonly string[] | undefined;
  /**
   * What a dispatch costs before its first task starts, in milliseconds: counts when the longest remaining path is looked for.
   * `Optimized.environment.overheadMs`. Only where subgraphs are dispatched. @default 0
   */
  readonly dispatchOverheadMs?: number | undefined;
  /**
   * Subgraphs that were not dispatched yet are split once durations are not as estimated; `true` for the defaults. Plans of up to 2,500 tasks. Only where subgraphs are dispatched.
   * @default subgraphs are dispatched as they are given
   */
  readonly adaptiveDispatch?: boolean | AdaptiveDispatchOptions | undefined;
  /** What was predicted of the subgraphs (`Optimized.predictedMs`), kept with the run so that it can be held against what it took. Only where subgraphs are dispatched. @default none is kept */
  readonly prediction?: DispatchPrediction | undefined;
  /** Who executes subgraphs; only where they are dispatched. @default inProcessDispatcher() */
  readonly dispatcher?: Dispatcher | undefined;
  /**
   * How long a dispatcher may give no sign of a subgraph (an event, a report, a request for a call), in milliseconds; `Infinity` for no
   * limit. What is left of the subgraph then fails with TASK_DISPATCH. @default what the limits of its tasks add up to, with all attempts,
   *   Stage 2 and `abortGraceMs`
   */
  readonly dispatchTimeoutMs?: number | undefined;
  /** Plain data of the caller's own, kept in the journal with the run; `getRun(id).options.metadata`. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
  /** 0 up to 1, for the jitter of retries. @default Math.random */
  readonly random?: (() => number) | undefined;
}

/** See `RunOptions.outputs`. */
export type ResultOutputs = "auto" | "all" | "sinks" | "none";

/** What failed, as `onError` gets it. */
export interface FailedAttempt {
  readonly runId: string;
  readonly taskId: string;
  /** Task ids from the outermost run to the nested plan that the task is of; empty for a task of the run's own plan. */
  readonly path: readonly string[];
  /** Absent where no resource was bound yet. */
  readonly uid?: string;
  /** 1 for the first; 0 for a binding. */
  readonly attempt: number;
}
