import { type RunScope, TaskContext } from "../executors/scope.ts";
import type { PreparedStep } from "../input/prepare-step.ts";
import { cloneJson } from "../json-copy.ts";
import { Attempt, type AttemptLimits, type AttemptOutcome } from "./attempt.ts";

export interface ExecuteOptions extends AttemptLimits {
  readonly runId: string;
  readonly idempotencyKey: string;
  /** 1 for the first. */
  readonly number: number;
  /** Not called any more once the attempt has ended. */
  onProgress(progress: unknown): void;
  scope(attempt: Attempt): RunScope;
  onEnd(outcome: AttemptOutcome): void;
}

/** Calls the executor once, under a time limit. */
export function executeStep({ executor, step, task }: PreparedStep, options: ExecuteOptions): Attempt {
  const attempt = new Attempt(options, options.onEnd);
  const { signal } = attempt;
  const context = new TaskContext({
    signal,
    attempt: options.number,
    idempotencyKey: options.idempotencyKey,
    runId: options.runId,
    task,
    onProgress(progress) {
      if (attempt.ended) return;
      attempt.heartbeat();
      options.onProgress(progress);
    },
    scope: options.scope(attempt),
  });
  // A copy, so that neither other tasks nor later attempts see what an executor does to its input.
  const input = { ...step, input_data: cloneJson(step.input_data) };
  let output: unknown;
  try {
    output = executor.execute(input, context);
  } catch (thrown) {
    output = Promise.reject(thrown);
  }
  attempt.follow(output instanceof Promise ? output : Promise.resolve(output));
  return attempt;
}
