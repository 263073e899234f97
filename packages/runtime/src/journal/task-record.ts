import type { CallUsage } from "@planloom/plan";
import type { TaskError } from "../task-error.ts";
import type { AskedQuestion } from "./approval-records.ts";

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

/** The fields of the record of a task that a person was asked about which are needed to execute exactly that call. */
export type AskedTask = Pick<TaskRecord, "task_id" | "uid" | "input" | "question" | "asked_hash">;

/** When a task was executed. Milliseconds since the epoch, by a clock that is only ever set between sessions. */
export interface TaskTiming {
  /** End of the last attempt. */
  readonly ended_at: number;
  /** Start and end of each attempt, where there was more than one. */
  readonly spans?: readonly (readonly [number, number])[];
  /** How long it held its slots, where it lent them to a nested run: that run's work. */
  readonly slot_ms?: number;
  /** How long the longest element of a task with `for_each` took, in milliseconds. No schedule makes the task shorter. */
  readonly path_ms?: number;
}

/** How a task of a nested plan ended. */
export interface NestedRecord {
  /** Ids of the tasks it is in, from the outside in; at least one. */
  readonly path: readonly string[];
  /** Hash of the nested plan and its input; the record holds for these only. */
  readonly scope: string;
  readonly record: TaskRecord;
  /** What an answer to a task that waits for approval is bound to. */
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

/** A model call, Stage 2's answer, or that a change of the plan was wanted or asked for. */
export interface CallRecord {
  /** Ids of the tasks it was made in, from the outside in; its own task's last. Empty for a replan and a mark. */
  readonly path: readonly string[];
  /**
   * `execute`: by the task's executor. `bind`: by Stage 2. `step`: what Stage 2 answered in the end. `replan`: a change of the
   * plan was asked for; written before the request. `propose`: a model call for such a change. `mark`: a person wants `request.marks` replaced;
   * with a `reply`, it has been decided about these.
   */
  readonly purpose: "execute" | "bind" | "step" | "replan" | "propose" | "mark";
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
