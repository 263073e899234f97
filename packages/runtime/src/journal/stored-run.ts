import type { RetryPolicy, TaskData } from "@planloom/plan";
import type { ConfirmLevel } from "../confirm.ts";
import type { BudgetOptions } from "../ports/budget.ts";
import type { GuardPolicy } from "../ports/guard-policy.ts";
import type { StoredReplanPolicy } from "../ports/replan-policy.ts";
import type { RetryOn } from "../ports/retry.ts";
import type { StoredRevision } from "../ports/stored-revision.ts";
import type { RateLimit } from "../ports/token-bucket.ts";
import type { StoredStatus } from "./run-summary.ts";

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
  /** Where it shares limits with others: whose turn it is. @default 0, 1 and none */
  readonly priority?: number;
  readonly weight?: number;
  /** ISO 8601. */
  readonly deadline?: string;
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

/** How the subgraphs of a run are dispatched, with all that a resumption needs but the dispatcher itself. */
export interface StoredDispatch {
  /** Absent where they are dispatched atomically. */
  readonly semantics?: "pipelined";
  /** Tasks in the order in which the subgraph lists them, in which they run under `pipelined` semantics. */
  readonly subgraphs: readonly StoredSubgraph[];
  readonly order?: readonly string[];
  readonly overhead_ms?: number;
  /** Subgraphs are split where durations are not as estimated; `subgraph-split` events say how. */
  readonly adaptive?: StoredAdaptiveDispatch;
  /** What was predicted when it was begun, in milliseconds; absent where nothing was. */
  readonly predicted?: StoredPrediction;
  /** Name of the dispatcher; a resumption must be given one again unless it is `in-process`. */
  readonly dispatcher: string;
}

/** `prediction` of a run. */
export interface StoredPrediction {
  readonly predicted_ms: number;
  readonly per_task_ms: number;
  readonly lower_bound_ms?: number;
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
