import type { PlanIssue, PlannerTask, PlanQuestion, WaitingCall } from "planloom";
import type { PlanDiff } from "planloom/plan";
import type {
  ApprovalAnswer,
  CallRecord,
  RunStatusView,
  StoredCertificate,
  StoredEvent,
  StoredPrediction,
  StoredRevision,
  TaskRecord,
  TaskStatusView,
} from "planloom/runtime";

/** What the page shows of a plan, and of a run of it. Plain JSON. */
export interface PageData {
  readonly format: "planloom-page/1";
  /** ISO 8601, UTC. */
  readonly made_at: string;
  readonly plan: PagePlan;
  /** Absent for a plan that is not executed. */
  readonly run?: PageRun;
  /** What is still to be said about a plan that is not executed; absent in a file. */
  readonly draft?: PageDraft;
}

/** What is wrong with a plan, what it lacks, and what else could do a task. */
export interface PageDraft {
  /** The revision that a change is made for. */
  readonly revision: string;
  readonly issues: readonly PlanIssue[];
  readonly questions: readonly PlanQuestion[];
  /** Other tools by task, the likeliest first. */
  readonly alternatives: Readonly<Record<string, readonly string[]>>;
  /** How likely the whole plan is right by its planner, from 0 to 1. */
  readonly confidence?: number;
}

export interface PagePlan {
  readonly id: string;
  readonly title: string;
  /** The goal as it was typed. */
  readonly goal?: string;
  /** What the planner noted about the plan, such as parts of the goal that it left open. */
  readonly notes: readonly PlanIssue[];
  /** Without statuses and outputs, which are the run's. */
  readonly tasks: readonly PageTask[];
  /** Edge `i` leads from the task with the number `from[i]` (from 0, in the order of `tasks`) to that with the number `to[i]`, which depends on it. */
  readonly edges: { readonly from: readonly number[]; readonly to: readonly number[] };
  /** Tasks that are dispatched together; empty where tasks start one by one. */
  readonly subgraphs: readonly { readonly id: string; readonly task_ids: readonly string[] }[];
}

export type PageTask = Partial<PlannerTask> & Pick<PlannerTask, "task_id">;

export interface PageRun extends Pick<RunStatusView, "run_id" | "status" | "resumable" | "created_at" | "updated_at"> {
  /** In plan order: where each task is now. */
  readonly states: readonly TaskStatusView[];
  /** What the journal has of each task that has ended or waits. */
  readonly records: readonly TaskRecord[];
  /** Empty where the journal keeps none. */
  readonly events: readonly StoredEvent[];
  /** Calls of models and Stage 2's answers, the oldest first. */
  readonly calls: readonly CallRecord[];
  /** How many calls were left out because of their size. */
  readonly calls_left_out: number;
  readonly waiting: readonly WaitingCall[];
  readonly answers: readonly ApprovalAnswer[];
  readonly revisions: readonly StoredRevision[];
  /** The tasks of the plan as it was handed to the run, where it was changed. */
  readonly first_tasks?: readonly PageTask[];
  /** What differs between the plan as it was handed to the run and as it is now, where it was changed. */
  readonly diff?: PlanDiff;
  readonly certificate?: StoredCertificate;
  /** What was predicted of its subgraphs when it was begun; absent where tasks started one by one, and where the caller grouped them. */
  readonly predicted?: StoredPrediction;
}
