import type { PlanIssue } from "../issue.ts";
import type { OptionChecks } from "../options/option-checks.ts";
import type { TaskData } from "../records/task-data.ts";

/**
 * How plans of this dialect are run where the caller gives no option of that name. A plan keeps the name of the dialect it was read
 * from in `metadata.dialect`, so that stored plans keep their rules.
 */
export interface RunRules {
  /** After a failure: `continue` with all that does not depend on it, or `halt` (what already runs may finish). */
  readonly onFailure: "continue" | "halt";
  /** Tasks at once; null for the default of the run. */
  readonly concurrency: number | null;
  /** Time limit of one attempt, in milliseconds; null for the default of the run. */
  readonly taskTimeoutMs: number | null;
  /** Attempts of a task at most, at least 1; null for the default of the run. Calls that may not be repeated have one in any case. */
  readonly maxAttempts: number | null;
  /** Attempts of a task that has no `retry` of its own, at least 1; null for the default of the run. */
  readonly defaultAttempts: number | null;
}

/** What reading a plan found out, in addition to the plan. */
export interface PlanReading {
  /** Name of the dialect; `agent-grid` is our own form too. */
  readonly dialect: string;
  /** About fields that nothing reads, left out of the plan: errors where they look like gates, limits or dependencies. */
  readonly issues: readonly PlanIssue[];
}

/** What the caller knows in addition to the text; all of it is optional. */
export interface ReadContext {
  /** Id of the plan. @default the dialect's own, else a nanoid */
  readonly planId?: string;
  /** The user's question or goal; kept in `task_input_data.goal`. */
  readonly goal?: string;
  /** Limit for texts, in bytes. @default 32 MiB */
  readonly maxBytes?: number;
  /** `readPlan`, `parsePlanText` and `loadPlan` call it once, when the plan is read. */
  readonly onRead?: (reading: PlanReading) => void;
}

/** What is checked of each, where a caller gives it. */
export const readChecks = {
  planId: "text",
  goal: "text",
  maxBytes: "nonNegative",
  onRead: "function",
} as const satisfies OptionChecks<ReadContext>;

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
   * @throws PlanError DIALECT when it is not a plan of this dialect, INVALID for wrong types, TOO_LARGE for long texts.
   */
  read(source: unknown, context?: ReadContext): TaskData;
  /**
   * The plan as a JSON value in this dialect's form. Descriptive fields that the format has no place for are left out.
   * @throws PlanError DIALECT when the format cannot say what the plan does (`details.task_id`); CYCLE.
   */
  write(plan: TaskData): unknown;
}
