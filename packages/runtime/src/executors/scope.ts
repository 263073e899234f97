import type { ExecutionContext, TaskData } from "@planloom/plan";
import type { RunResult } from "../run-result.ts";

/** What executors of this package may ask of the run they work for; no part of the public context. */
export interface RunScope {
  /** Runs a plan inside this task: same executors, limits and signal. The task's own slots are free meanwhile. */
  runNested(plan: TaskData, input: Readonly<Record<string, unknown>>): Promise<RunResult>;
  /** Counts what a model call used. */
  addUsage(usage: { readonly inputTokens: number; readonly outputTokens: number; readonly cost?: number }): void;
}

const scopeKey = Symbol("planloom.scope");

/** Makes a context with a scope. A symbol rather than a map of contexts: executors that wrap others may pass on a copy. */
export function makeContext(fields: ContextFields): ExecutionContext {
  const { attempt, idempotencyKey, runId, task, onProgress, signal, scope } = fields;
  // Written out, with an own getter: a spread copies it, and most executors of quick tasks never look at the signal, whose
  // controller would cost more than the scheduler.
  return {
    attempt,
    idempotencyKey,
    runId,
    task,
    onProgress,
    get signal() {
      return signal();
    },
    [scopeKey]: scope,
  } as ExecutionContext;
}

export interface ContextFields extends Omit<ExecutionContext, "signal"> {
  signal(): AbortSignal;
  readonly scope: RunScope;
}

/** Absent when an executor is used outside a run. */
export function scopeOf(context: ExecutionContext): RunScope | undefined {
  return (context as { [scopeKey]?: RunScope })[scopeKey];
}
