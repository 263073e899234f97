import type {
  CallUsage,
  ExecutionContext,
  ExecutionKind,
  Executor,
  PlannerTask,
  RecordedCall,
  TaskData,
} from "@planloom/plan";
import type { TaskRecord } from "../journal/journal.ts";
import type { RunResult } from "../run-result.ts";
import type { Registry } from "./registry.ts";

/** A call that a person approved. */
export interface ApprovedCall {
  readonly kind: ExecutionKind;
  readonly uid: string;
  /** SHA-256 of the input. */
  readonly inputHash: string;
}

/** What executors of this package may ask of the run they work for; no part of the public context. */
export interface RunScope {
  /** Id of the task within the whole run: the ids of the tasks it is in, from the outside in, and its own, joined by `/`. */
  readonly path: string;
  /** What the run can execute with. */
  readonly registry: Registry;
  /** The call that a person approved, where this task or one around it was asked about. Other calls need an approval of their own. */
  readonly approved: ApprovedCall | undefined;
  /**
   * Runs a plan inside this task: same limits and signal. The task's own slots are free meanwhile.
   * @param executors before those of the run; when given, even if empty, no task of the plan is bound by Stage 2.
   * @param isCovered true where the plan makes only the approved call, so that no person is asked again. @default false
   */
  runNested(
    plan: TaskData,
    input: Readonly<Record<string, unknown>>,
    executors?: readonly Executor[],
    isCovered?: boolean,
  ): Promise<RunResult>;
  /** How a task of that nested plan ended in an earlier session of the run. */
  recorded(plan: TaskData, input: Readonly<Record<string, unknown>>, taskId: string): TaskRecord | undefined;
  /** `onUsage` and `onCall` of the public context. */
  addUsage(usage: CallUsage): void;
  addCall(call: RecordedCall): void;
  /** Blanks the secrets of the run, where it has any. */
  readonly redact?: NonNullable<ExecutionContext["redact"]>;
}

/** A class rather than a literal, as `CallOptions` is. */
export class TaskScope implements RunScope {
  readonly path: string;
  readonly registry: Registry;
  readonly approved: ApprovedCall | undefined;
  readonly runNested: RunScope["runNested"];
  readonly recorded: RunScope["recorded"];
  readonly addUsage: RunScope["addUsage"];
  readonly addCall: RunScope["addCall"];
  readonly redact?: NonNullable<ExecutionContext["redact"]>;

  constructor(fields: RunScope) {
    this.path = fields.path;
    this.registry = fields.registry;
    this.approved = fields.approved;
    this.runNested = fields.runNested;
    this.recorded = fields.recorded;
    this.addUsage = fields.addUsage;
    this.addCall = fields.addCall;
    if (fields.redact !== undefined) this.redact = fields.redact;
  }
}

const scopeKey: unique symbol = Symbol("planloom.scope");

export interface ContextFields extends Omit<ExecutionContext, "onUsage" | "onCall" | "path" | "redact"> {
  readonly scope: RunScope;
}

/**
 * The context of one attempt. All properties are its own, so that executors that wrap others may pass on a spread copy; the
 * scope is one too, under a symbol. A class, because literals with computed keys are an order of magnitude slower to make.
 */
export class TaskContext implements ExecutionContext {
  readonly signal: AbortSignal;
  readonly attempt: number;
  readonly idempotencyKey: string;
  readonly runId: string;
  readonly path: string;
  readonly task: PlannerTask;
  readonly redact?: NonNullable<ExecutionContext["redact"]>;
  readonly onProgress: (progress: unknown) => void;
  readonly onUsage: (usage: CallUsage) => void;
  readonly onCall: (call: RecordedCall) => void;
  readonly [scopeKey]: RunScope;

  constructor(fields: ContextFields) {
    this.signal = fields.signal;
    this.attempt = fields.attempt;
    this.idempotencyKey = fields.idempotencyKey;
    this.runId = fields.runId;
    this.path = fields.scope.path;
    if (fields.scope.redact !== undefined) this.redact = fields.scope.redact;
    this.task = fields.task;
    this.onProgress = fields.onProgress;
    this.onUsage = fields.scope.addUsage;
    this.onCall = fields.scope.addCall;
    this[scopeKey] = fields.scope;
  }
}

/** Absent when an executor is used outside a run. */
export function scopeOf(context: ExecutionContext): RunScope | undefined {
  return (context as { [scopeKey]?: RunScope })[scopeKey];
}
