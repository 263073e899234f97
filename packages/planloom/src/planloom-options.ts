import type { BehaviorController, Model } from "@planloom/controller";
import type { Executor, JobInput, PlanningContext } from "@planloom/plan";
import type { CandidateOptions } from "@planloom/planner";
import {
  type AgentDefinition,
  type AtLeast,
  type DryRunOptions,
  type ForkOptions,
  type Journal,
  type LlmDefinition,
  type ModelAgent,
  namesWith,
  type PlanExecuteOptions,
  type ResumeDueOptions,
  type ResumeOptions,
  type ResumePlanExecuteOptions,
  type RunEvent,
  type RunOptions,
  type SignalOptions,
  type ToolDefinition,
  type WorkflowDefinition,
} from "@planloom/runtime";
import type { OnListenerError } from "./events.ts";
import type { DispatchOptions, GroupingOptions, RunDispatchOptions } from "./grouping/dispatch-options.ts";
import type { InstanceLimits } from "./instance-limits.ts";
import type { MemoryOptions } from "./memory/memory-options.ts";
import type { PlannerSettings } from "./planner-settings.ts";
import type { ReplanPlanOptions } from "./replan-plan.ts";
import type { Logger } from "./telemetry/logger.ts";
import type { Telemetry } from "./telemetry/telemetry.ts";

/** A goal in words, or a job with objectives and steerability. */
export type Goal = string | (JobInput & { readonly task_description?: string });

/** Options of an instance that hold over all of its runs together; those of a run can only narrow them. */
export const instanceLimits = [
  "concurrency",
  "limits",
  "budgets",
  "maxRuns",
  "maxQueuedRuns",
  "tenants",
  "eachTenant",
  "limitScope",
] as const satisfies readonly (keyof InstanceLimits)[];

/** Whether an instance with these options limits what its runs do together. */
export function limitsRuns(options: InstanceLimits): boolean {
  return instanceLimits.some((name) => options[name] !== undefined);
}

/** Options of a run that can be set once for all runs, each by itself. */
export const runDefaults = namesWith({ instance: "each run" });
/** Of these, what an instance has holds for resumed runs too, where it is stricter than what they were begun with. */
export const strictestDefaults = [
  ...namesWith({ instance: "each run", stricter: "lower" }),
  ...namesWith({ instance: "each run", stricter: "own" }),
] as const satisfies readonly (keyof AtLeast)[];
/** Options that no journal keeps, so that each resumption gets them again. */
export const unkeptDefaults = namesWith({ instance: "each session" });

type RunDefaults = Pick<RunOptions, (typeof runDefaults)[number] | (typeof unkeptDefaults)[number]>;

/** The options in `names` that are set. */
export function pickOptions<Name extends keyof RunOptions>(
  options: Pick<RunOptions, Name>,
  names: readonly Name[],
): Pick<RunOptions, Name> {
  const set = names.filter((name) => options[name] !== undefined).map((name) => [name, options[name]]);
  return Object.fromEntries(set) as Pick<RunOptions, Name>;
}

/**
 * The options of a `Planloom`: what plans are made with and executed by. Limits, rates and budgets given here hold over all runs of the instance together (see
 * `InstanceLimits`); gates, guards, time limits, retries and other options of a run hold for each run, and for resumed runs where they
 * are stricter.
 */
export interface PlanloomOptions extends Omit<RunDefaults, "confirm">, InstanceLimits {
  /**
   * Which calls a person confirms before they are made; see `RunOptions.confirm`. @default "writes" for goals that are planned and run in
   * one step, streams of plans and `planExecute`, whose plan no person has seen; "destructive" for plans that are handed in
   */
  readonly confirm?: RunOptions["confirm"];
  /** Answers planning questions. An LlmController without `rules` has the embedded planner beside it. @default LlmController with `model` if there is one, else EmbeddedController */
  readonly controller?: BehaviorController | undefined;
  /** The model that executes llm tasks: every llm without a model of its own gets it. @default none: llm tasks are skipped, with the reason */
  readonly model?: Model | undefined;
  readonly tools?: readonly ToolDefinition[] | undefined;
  /** Agents. One that is a model with tools gets `model` if it names no model. */
  readonly agents?: readonly (AgentDefinition | ModelAgent)[] | undefined;
  /** @default one named `default`, for `model` */
  readonly llms?: readonly LlmDefinition[] | undefined;
  readonly workflows?: readonly WorkflowDefinition[] | undefined;
  /** Executors of your own, or an adapter's (`connectMcpServers(…).executor`). They are not closed by `close`. */
  readonly executors?: readonly Executor[] | undefined;
  /** Where runs are kept: a journal, or the file of a SQLite journal (PLANLOOM_JOURNAL_KEY is the key of its checksums). @default in memory, where 1,000 ended runs stay (`memoryJournal({ maxEndedRuns })`) */
  readonly journal?: Journal | string | undefined;
  /** The time that words such as "today" refer to. @default the system's clock */
  readonly now?: Date | string | (() => Date);
  /** The IANA name of the time zone for such words. @default the system's */
  readonly timeZone?: string;
  /** Stage 1, Stage 2 and replans: temperature, maxAttempts, candidates, timeoutMs (of one answer of the controller), maxPromptCharacters, validateToolAvailability, llmData, nHistorySamples, prompts. */
  readonly planner?: PlannerSettings | undefined;
  /**
   * Reuses plans: a goal that is like the goal of a completed run gets the plan of that run with its arguments bound again, and no planner is asked. Plans are read
   * from the journal; a tenant gets its own plans only. @default false
   */
  readonly memory?: boolean | MemoryOptions | undefined;
  /** Who groups plans into subgraphs: rules, or a model (`by: "model"`). @default rules, the portfolio, for as many executors as `concurrency` says */
  readonly optimizer?: GroupingOptions | undefined;
  /**
   * Where runs go: each plan is grouped into subgraphs for this dispatcher, and each subgraph goes whole to it. Streams of plans, loops and single calls
   * have nothing to group, and start their tasks one by one. @default nowhere: the tasks of a run start one by one, in this process
   */
  readonly dispatch?: DispatchOptions | undefined;
  /** Spans and metrics of all that the instance does: `openTelemetry()` of `@planloom/otel`. @default none */
  readonly telemetry?: Telemetry | undefined;
  /** Where it writes what happens: a `pino` logger, or anything with `debug`, `info`, `warn` and `error`. @default nowhere */
  readonly logger?: Logger | undefined;
  /** Called when a listener throws. @default `process.emitWarning` */
  readonly onListenerError?: OnListenerError | undefined;
}

export interface OptimizeOptions extends Pick<PlanloomRunOptions, "concurrency"> {
  /** Where the subgraphs would go. @default that of the instance */
  readonly dispatch?: DispatchOptions | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface PlanOptions {
  /** What is remembered from earlier planning; it lets a controller read "their" and "the same for Munich". */
  readonly context?: PlanningContext | undefined;
  /** How this one goal is to be planned, in words. Only models read them. */
  readonly instructions?: string | undefined;
  /**
   * Sent as `llm_data` over that of `planner`: where this goal is planned, and by a run also where its tasks are bound (Stage 2) and replaced. It may hold a key, so that no journal keeps
   * it: a resumption is given it again, and workers of other processes send that of their own `planner`.
   */
  readonly llmData?: Readonly<Record<string, unknown>> | undefined;
  /** How many plans are made for this goal and compared, 1 to 16, or that with limits; see `PlannerOptions.candidates`. @default that of `planner` */
  readonly candidates?: number | CandidateOptions | undefined;
  /** False plans this goal without remembered plans. @default true, where the instance has `memory` */
  readonly memory?: boolean | undefined;
  /** Key of the tenant whose earlier plans may be reused. @default none: plans of runs without a tenant */
  readonly tenant?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** As `run` of `@planloom/runtime` takes them, without what `Planloom` brings itself. */
export interface PlanloomRunOptions
  extends Omit<RunOptions, "executors" | "bind" | "replan" | "journal" | "onEvent" | "shared">,
    Pick<PlanOptions, "context" | "instructions" | "llmData" | "candidates" | "memory"> {
  /** Whether the run is kept in the journal; without that it can be neither resumed nor approved later. @default true */
  readonly checkpoint?: boolean | undefined;
  /**
   * Where this run goes; see `PlanloomOptions.dispatch`. Without effect where `subgraphs` are handed in or `semantics` is `streaming`. A resumption dispatches
   * the subgraphs that the run was begun with. @default that of the instance
   */
  readonly dispatch?: RunDispatchOptions | undefined;
  /** Called with every event of this run, after the listeners of `on`. */
  readonly onEvent?: ((event: RunEvent) => void) | undefined;
}

export type PlanloomDryRunOptions = Omit<DryRunOptions, "executors"> & Pick<PlanOptions, "signal">;

/** A run whose subgraphs were dispatched continues so: its `dispatcher` is that of the instance, where no other is given. */
export type PlanloomResumeOptions = Omit<
  PlanloomRunOptions,
  | "runId"
  | "variables"
  | "input"
  | "metadata"
  | "checkpoint"
  | "context"
  | "instructions"
  | "candidates"
  | "memory"
  | "dispatch"
> &
  Pick<ResumeOptions, "ifDueBy" | "retryFailed">;

/** Options of `resumeDue`. */
export type PlanloomDueOptions = Omit<PlanloomResumeOptions, "ifDueBy" | "retryFailed"> &
  Pick<ResumeDueOptions, "limit" | "withMetadata" | "runsAtOnce">;

/** Options of `signal`. */
export type PlanloomSignalOptions = Omit<SignalOptions, "journal" | "journalTimeoutMs">;

export type PlanloomReplanOptions = ReplanPlanOptions & Pick<PlanOptions, "llmData">;

export type PlanloomForkOptions = Omit<PlanloomResumeOptions, "ifDueBy" | "retryFailed"> &
  Pick<ForkOptions, "runId" | "arguments" | "metadata">;

/** As `planExecute` of `@planloom/runtime` takes them, without what `Planloom` brings itself; `model` is its own by default. */
export type PlanloomLoopOptions = Omit<PlanExecuteOptions, "executors" | "bind" | "journal" | "shared">;

export type PlanloomResumeLoopOptions = Omit<ResumePlanExecuteOptions, "executors" | "bind" | "journal" | "shared">;
