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
export function makeContext(
  fields: Omit<ExecutionContext, "signal">,
  signal: () => AbortSignal,
  scope: RunScope,
): ExecutionContext {
  return {
    ...fields,
    // Most executors of quick tasks never look at it; a controller a task would cost more than the scheduler.
    get signal() {
      return signal();
    },
    [scopeKey]: scope,
  } as ExecutionContext;
}

/** Absent when an executor is used outside a run. */
export function scopeOf(context: ExecutionContext): RunScope | undefined {
  return (context as { [scopeKey]?: RunScope })[scopeKey];
}
