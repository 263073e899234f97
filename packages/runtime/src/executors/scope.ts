import type { ExecutionContext, PlannerTask, TaskData } from "@planloom/plan";
import type { RunResult } from "../run-result.ts";

/** What executors of this package may ask of the run they work for; no part of the public context. */
export interface RunScope {
  /** Runs a plan inside this task: same executors, limits and signal. The task's own slots are free meanwhile. */
  runNested(plan: TaskData, input: Readonly<Record<string, unknown>>): Promise<RunResult>;
  /** Counts what a model call used. */
  addUsage(usage: { readonly inputTokens: number; readonly outputTokens: number; readonly cost?: number }): void;
}

const scopeKey: unique symbol = Symbol("planloom.scope");

export interface ContextFields extends ExecutionContext {
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
  readonly task: PlannerTask;
  readonly onProgress: (progress: unknown) => void;
  readonly [scopeKey]: RunScope;

  constructor(fields: ContextFields) {
    this.signal = fields.signal;
    this.attempt = fields.attempt;
    this.idempotencyKey = fields.idempotencyKey;
    this.runId = fields.runId;
    this.task = fields.task;
    this.onProgress = fields.onProgress;
    this[scopeKey] = fields.scope;
  }
}

/** Absent when an executor is used outside a run. */
export function scopeOf(context: ExecutionContext): RunScope | undefined {
  return (context as { [scopeKey]?: RunScope })[scopeKey];
}
