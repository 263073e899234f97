import type { PlanIssue } from "../issue.ts";
import type { TaskData } from "../records/task-data.ts";

/** How a plan of this dialect expects to be run, as data; the caller decides what of it to honour. */
export interface RunRules {
  /** After a failure: `continue` with all that does not depend on it, or `halt` (what already runs may finish). */
  readonly onFailure: "continue" | "halt";
  /** A reference to a value that is absent: an error, or the reference's own text stays. */
  readonly unresolved: "error" | "literal";
  /** What the numbers of steps count from in references and dependencies; null where steps have no numbers. */
  readonly indexBase: 0 | 1 | null;
  /** Whether a step may refer to one that stands later in the plan. */
  readonly forwardReferences: boolean;
  /** Steps at once; null for no limit. */
  readonly concurrency: number | null;
  /** What starts together: a `task` as soon as it can, or a whole `batch` when the batch before has ended. */
  readonly parallelUnit: "task" | "batch" | "none";
  /** Time limit of one attempt, in milliseconds; null for none. */
  readonly taskTimeoutMs: number | null;
  /** Attempts per task, at least 1. */
  readonly maxAttempts: number;
}

/** What reading a plan found out besides the plan. */
export interface PlanReading {
  /** Name of the dialect; `agent-grid` is our own form too. */
  readonly dialect: string;
  /** About fields that nothing reads, left out of the plan: errors where they look like gates, limits or dependencies. */
  readonly issues: readonly PlanIssue[];
}

/** What is known besides the text; all optional. */
export interface ReadContext {
  /** Id of the plan. @default the dialect's own, else a nanoid */
  readonly planId?: string;
  /** The user's question or goal; kept in `task_input_data.goal`. */
  readonly goal?: string;
  /** Limit for texts, in bytes. @default 32 MiB */
  readonly maxBytes?: number;
  /** Told once by `readPlan`, `parsePlanText` and `loadPlan`, when the plan is read. */
  readonly onRead?: (reading: PlanReading) => void;
}

/**
 * A plan format of another system. Dialects only translate: structure and values are checked by `validatePlan`, so a
 * plan that names steps that do not exist is read, and its issues come out together.
 */
export interface Dialect {
  readonly name: string;
  readonly description: string;
  readonly runRules: RunRules;
  /** Every field of a plan and of its steps that `read` knows; others are reported. @default nothing is reported */
  readonly fields?: { readonly plan: readonly string[]; readonly step: readonly string[] };
  /** Whether a parsed JSON value looks like a plan of this dialect. Never throws. */
  recognises(value: unknown): boolean;
  /**
   * @param source text, or a parsed value; neither is mutated.
   * @throws PlanError DIALECT when it is no plan of this dialect, INVALID for wrong types, TOO_LARGE for long texts.
   */
  read(source: unknown, context?: ReadContext): TaskData;
  /**
   * The plan as a JSON value in this dialect's form. Descriptive fields that the format has no place for are left out.
   * @throws PlanError DIALECT when the format cannot say what the plan does (`details.task_id`); CYCLE.
   */
  write(plan: TaskData): unknown;
}
