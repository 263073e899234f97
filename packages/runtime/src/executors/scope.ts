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
  /** How a task of that nested plan ended in an earlier session of the run. @param plan makes it, and is called only where something is recorded */
  recorded(plan: () => TaskData, input: Readonly<Record<string, unknown>>, taskId: string): TaskRecord | undefined;
  /** `onUsage` and `onCall` of the public context. */
  addUsage(usage: CallUsage): void;
  addCall(call: RecordedCall): void;
  /** Blanks the secrets of the run, where it has any. */
  readonly redact?: NonNullable<ExecutionContext["redact"]>;
}

/** A scope whose run has secrets, which are blanked in what is recorded. */
export class RedactingScope implements RunScope {
  readonly redact: NonNullable<ExecutionContext["redact"]>;
  readonly #scope: RunScope;

  constructor(scope: RunScope, redact: NonNullable<ExecutionContext["redact"]>) {
    this.#scope = scope;
    this.redact = redact;
  }

  get path(): string {
    return this.#scope.path;
  }

  get registry(): Registry {
    return this.#scope.registry;
  }

  get approved(): ApprovedCall | undefined {
    return this.#scope.approved;
  }

  runNested(...given: Parameters<RunScope["runNested"]>): Promise<RunResult> {
    return this.#scope.runNested(...given);
  }

  recorded(...given: Parameters<RunScope["recorded"]>): TaskRecord | undefined {
    return this.#scope.recorded(...given);
  }

  addUsage(usage: CallUsage): void {
    this.#scope.addUsage(usage);
  }

  addCall(call: RecordedCall): void {
    this.#scope.addCall(this.redact(call));
  }
}

const scopeKey: unique symbol = Symbol("planloom.scope");

/** What one attempt is made with, beside its scope. */
export interface AttemptFields {
  readonly runId: string;
  readonly idempotencyKey: string;
  /** 1 for the first. */
  readonly number: number;
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

  constructor(
    task: PlannerTask,
    { runId, idempotencyKey, number }: AttemptFields,
    signal: AbortSignal,
    onProgress: (progress: unknown) => void,
    scope: RunScope,
  ) {
    this.signal = signal;
    this.attempt = number;
    this.idempotencyKey = idempotencyKey;
    this.runId = runId;
    this.path = scope.path;
    if (scope.redact !== undefined) this.redact = scope.redact;
    this.task = task;
    this.onProgress = onProgress;
    this.onUsage = (usage) => scope.addUsage(usage);
    this.onCall = (call) => scope.addCall(call);
    this[scopeKey] = scope;
  }
}

/** Absent when an executor is used outside a run. */
export function scopeOf(context: ExecutionContext): RunScope | undefined {
  return (context as { [scopeKey]?: RunScope })[scopeKey];
}
