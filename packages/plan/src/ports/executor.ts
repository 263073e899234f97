import type { ExecutionKind } from "../kinds/kinds.ts";
import type { EstimateData } from "../records/estimate-data.ts";
import type { PlannerTask } from "../records/planner-task.ts";
import type { Resource } from "./resource.ts";

/** Stage 2's answer for one task, ready for an executor. */
export interface Step {
  /** Id of the resource. */
  readonly uid: string;
  readonly input_data: Record<string, unknown>;
  /** The planner's reasoning, if it gave one. */
  readonly plan?: string;
  /** For dsl only: the module whose output is returned; `""` for the whole output. */
  readonly output_module?: string;
}

/** Sums of what calls used, as results and plans keep them. */
export interface UsageTotals {
  readonly input_tokens: number;
  readonly output_tokens: number;
  /** How many of the input tokens came from providers' caches; absent when no call reported any. */
  readonly cached_input_tokens?: number;
  /** How many of the output tokens were thoughts; absent likewise. */
  readonly reasoning_tokens?: number;
  /** In the unit of the price table; absent when no call had a price. */
  readonly cost?: number;
  /** Present where the tokens of a call were not counted and are a guess, so that the sums are one. */
  readonly estimated?: true;
}

/** The tokens and the money that a call used. */
export interface CallUsage {
  /** @default 0 */
  readonly inputTokens?: number;
  /** @default 0 */
  readonly outputTokens?: number;
  /** Of the input tokens, those from the provider's cache. @default unknown */
  readonly cachedInputTokens?: number;
  /** Of the output tokens, those of thoughts. @default unknown */
  readonly reasoningTokens?: number;
  /** In the unit of estimates and prices. @default 0 */
  readonly cost?: number;
  /** The amounts, or a part of them, are a guess. @default false */
  readonly estimated?: boolean;
}

/** The record of one model call, as plain JSON. */
export interface RecordedCall {
  readonly request: unknown;
  readonly reply?: unknown;
  /** Why there was no reply. */
  readonly error?: string;
  /** Milliseconds from sending to the last byte. */
  readonly latencyMs: number;
  readonly usage?: CallUsage;
}

/** What an executor gets beside the step. It belongs to one attempt of one task. */
export interface ExecutionContext {
  /** Aborted when the run is cancelled and when a time limit is reached; the executor then stops its work. */
  readonly signal: AbortSignal;
  /** Number of the attempt; 1 for the first. */
  readonly attempt: number;
  /** The same text on every attempt and resume of one task. */
  readonly idempotencyKey: string;
  readonly runId: string;
  /**
   * Id of the task within the whole run: the ids of the tasks it is in, from the outside in, and its own, joined by `/`. Absent where an
   * executor is called outside of a run.
   */
  readonly path?: string;
  /** The task as planned; its `instructions` are for the executor. */
  readonly task: PlannerTask;
  /** Reports that the work continues, with anything worth showing (JSON). It also restarts `idleTimeoutMs`. */
  onProgress(progress: unknown): void;
  /**
   * Reports what the work has used since the last report; it is counted against budgets at once. What a call may use at most is
   * reserved by `estimate` before the call.
   */
  onUsage(usage: CallUsage): void;
  /** Keeps a model call in the run's journal; its usage is counted as by `onUsage`. */
  onCall(call: RecordedCall): void;
  /** A copy with the texts of the run's secrets blanked, for what is logged or shown. Absent where the run has no secrets. */
  redact?<Value>(value: Value): Value;
}

/**
 * Executes steps of one kind on its resources. Settles only when its work has stopped; rejects to fail the attempt.
 * The output is any JSON value.
 */
export interface Executor {
  readonly kind: ExecutionKind;
  /** The resources that it can execute now. It returns the same object as long as nothing has changed, so that changes are noticed. */
  resources(): readonly Resource[];
  /** What a step may use at most, which budgets reserve, and how long it takes, for predictions. @default the resource's own estimate */
  estimate?(step: Step): EstimateData | undefined;
  /**
   * Why the resource cannot execute now (no model configured, say); the task is then skipped with that reason. It is also asked about
   * resources that `resources` leaves out for the time being: gates and limits that name such a resource stay valid.
   */
  unavailable?(uid: string): string | undefined;
  /**
   * How long one attempt on the resource may take, in milliseconds, where neither its task (`timeout_ms`) nor the run (`taskTimeoutMs`) says
   * so: that of a model is the model's own. @default what holds for all tasks of the run
   */
  timeoutMs?(uid: string): number | undefined;
  /**
   * Whether `{"$secret": …}` in the input is filled in before the call. False for executors that show their input to a model: a task with a
   * secret then fails. @default true for tools, otherwise false
   */
  readonly secrets?: boolean;
  /**
   * True where executing the resource has no effect but through model calls and through calls that are tasks of the run themselves (a
   * workflow, an agent that is a model with tools): after a crash it may then be executed again without anybody being asked, and a policy
   * that has calls confirmed (`confirm`) asks about those calls instead. @default false
   */
  delegates?(uid: string): boolean;
  /**
   * True where `execute`, called again after a crash for the same attempt of the same task, takes up the work that it had begun (a job that it
   * follows by its id) and begins none a second time. The call is then not in doubt after a crash: nobody is asked whether it is to be made again. @default false
   */
  reattaches?(uid: string): boolean;
  /**
   * Does the step's work; rejects with why it failed. Of a call that is neither read-only nor idempotent the run must know whether it was carried out:
   * an error says that it has failed, and after the signal was aborted (time-out, cancel) that the effect is unknown. An error with the property `outcome: "not-done"`
   * says that it had no effect, for any reason of the stop; with `outcome: "unknown"` that it may have had one (the connection broke, say).
   */
  execute(step: Step, context: ExecutionContext): Promise<unknown>;
}

/** A task that Stage 2 binds to a resource, with its resolved arguments. */
export interface BindRequest {
  readonly task: PlannerTask;
  /** The task's arguments with references resolved and `convertor_code` applied. */
  readonly input: Record<string, unknown>;
  /** The `input` of the run, for Stage 2 prompts. */
  readonly runInput?: Record<string, unknown>;
}

export interface BindOptions {
  readonly signal: AbortSignal;
  /** Called before each model call. Resolves when the call may be made; rejects when no budget is left for it. */
  readonly beforeCall?: () => Promise<void>;
  /** Called after each model call, also after failed ones: the journal keeps the call, and budgets count it. */
  readonly onCall?: (call: RecordedCall) => void;
  /** What it is done for: the run, and the task's `path` as executors get it; `""` for the run as a whole. */
  readonly about?: { readonly runId: string; readonly path: string };
}

/** Stage 2 as a function. `planner` makes one (`bindWith`), and `runtime` gets it as an option of a run. */
export type Bind = (request: BindRequest, options: BindOptions) => Promise<Step>;
