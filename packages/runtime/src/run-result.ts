import type { TaskData, UsageTotals } from "@planloom/plan";
import type { EndReason } from "./events.ts";
import type { AskedQuestion } from "./journal/journal.ts";
import type { DispatchPrediction } from "./ports/dispatch-prediction.ts";
import type { StoredRevision } from "./ports/stored-revision.ts";
import type { WaitView } from "./ports/wait-view.ts";
import type { TaskError } from "./task-error.ts";

/** How many elements a task with `for_each` has, and how many have ended in which way, those of earlier sessions included. Plain JSON. */
export interface ElementCounts {
  readonly total: number;
  readonly completed: number;
  readonly failed: number;
  readonly skipped: number;
}

/** How one task ended. Plain JSON. */
export interface TaskResult {
  readonly task_id: string;
  /** `waiting_approval`, `waiting` and `pending` (behind one that waits) only when the run ended with `waiting_approval` or `waiting`. */
  readonly status: "completed" | "failed" | "skipped" | "cancelled" | "waiting_approval" | "waiting" | "pending";
  /** The resource that executed it, or was to. */
  readonly uid?: string;
  /** The input of its call, with references resolved, converted and bound; absent where the task was not prepared. */
  readonly input?: Readonly<Record<string, unknown>>;
  /** Stage 2's reasoning, if it gave one. */
  readonly plan?: string;
  /** Of a completed task: any JSON. */
  readonly output?: unknown;
  /** Size of the output as JSON, in bytes, in place of one that is in the journal alone: `journal.getOutput(run_id, task_id)`. */
  readonly output_bytes?: number;
  /** Why it failed, was skipped or cancelled. */
  readonly error?: TaskError;
  /** Attempts started in this session. */
  readonly attempts: number;
  /** When its first attempt started, in milliseconds since the run (or its resumption) began; 0 if it never did. */
  readonly started_ms: number;
  /** All attempts together, waits between them left out, in milliseconds. */
  readonly duration_ms: number;
  /** Id of the task whose failure or absence this is due to. */
  readonly skipped_because?: string;
  /** It ended in an earlier session, and was not run again in this one. */
  readonly recorded?: true;
  readonly subgraph_id?: string;
  /** Counts of the elements of a task with `for_each` whose list was read in this session. */
  readonly elements?: ElementCounts;
  /** The output of an earlier call; none was made. */
  readonly cached?: true;
  /** What an answer to a task that waits for approval is bound to. */
  readonly content_hash?: string;
  /** What a task waits for whose status is `waiting`; absent where something in it waits, which its error names. */
  readonly wait?: WaitView;
  /** What is asked about a task that waits for approval, beside `uid` and `input`. */
  readonly question?: AskedQuestion;
}

/** How near to the best possible the run came, by the durations it measured. */
export interface Certificate {
  /**
   * No schedule can be faster with these durations and limits: the longest path, all work / concurrency, and the work of
   * each limited kind and resource / its limit; the largest of them. Waits for retries, and Stage 2, do not count as work.
   */
  readonly lowerBoundMs: number;
  /** The time from the start of the run to the end of its last task. */
  readonly achievedMs: number;
  /** achieved / bound; 1 when there was no work. */
  readonly ratio: number;
  /** How often adaptive dispatch split a subgraph in this session; absent when it never did. */
  readonly regroupings?: number;
  /**
   * What no schedule could help: how long tasks of the plan that could have run waited for a person's approval, for their next
   * attempt, for a rate or a budget; added up over the tasks, in milliseconds. Absent when none waited.
   */
  readonly waits?: {
    readonly approvalMs: number;
    readonly retryMs: number;
    readonly limitMs: number;
    /** For a time or a signal; absent when none did. */
    readonly timeMs?: number;
  };
}

export interface Usage extends UsageTotals {
  /** Attempts of all tasks, of nested plans too. */
  readonly attempts: number;
}

/** The result of a run. Plain JSON. */
export interface RunResult {
  readonly run_id: string;
  readonly end_reason: EndReason;
  /** The plan with statuses and outputs; the one handed in is not touched. */
  readonly plan: TaskData;
  /** One a task, in plan order. */
  readonly results: readonly TaskResult[];
  /** Outputs by the names in the plan's `outputs`; without those, of the sinks (tasks without dependents) by task id and by result variable. */
  readonly output_data: Readonly<Record<string, unknown>>;
  /**
   * Tasks whose outputs are in the journal alone, in plan order: `journal.getOutput(run_id, task_id)` reads one. They are missing from
   * `plan`, `results` and `output_data`. Absent if all are in memory; see the option `outputs`.
   */
  readonly stored_outputs?: readonly string[];
  readonly certificate: Certificate;
  /** What was predicted of its dispatches when it was begun, also in later sessions; absent where nothing was. */
  readonly prediction?: DispatchPrediction;
  readonly usage: Usage;
  /** The plan was changed while it ran, in this session or an earlier one. */
  readonly replanned?: true;
  /** The changes, oldest first. */
  readonly revisions?: readonly StoredRevision[];
  /** The results of tasks that were replaced in this session, in the order in which they were replaced. */
  readonly replaced?: readonly TaskResult[];
}

/**
 * The result of a run of a plan that `definePlan` made. When the run is completed `output_data` has all that the plan returns; a task that may
 * be skipped is missing in it where it was. Otherwise any of it may be missing. Outputs in `stored_outputs` are not in it either.
 */
export type TypedRunResult<Output, Result extends RunResult = RunResult> = Omit<Result, "end_reason" | "output_data"> &
  (
    | { readonly end_reason: "completed"; readonly output_data: Output }
    | { readonly end_reason: Exclude<EndReason, "completed">; readonly output_data: Partial<Output> }
  );
