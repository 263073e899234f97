import type { RecordedCall } from "@planloom/plan";
import type { RunScope } from "../executors/scope.ts";
import type { PreparedStep } from "../input/prepare-step.ts";
import type { ScopedCall } from "./call-scope.ts";
import type { CallFields } from "./execute-step.ts";
import type { RunningCall } from "./running-call.ts";
import type { TimedWork, WorkOutcome } from "./timed-work.ts";
import type { UsageCounter } from "./usage-counter.ts";

/** What is done with what an attempt does; one for all attempts of a run. */
export interface AttemptOwner {
  /** Counts the usage of the run. */
  readonly usage: UsageCounter;
  onProgress(attempt: CallAttempt, progress: unknown): void;
  onCall(attempt: CallAttempt, recorded: RecordedCall): void;
  onEnd(attempt: CallAttempt, outcome: WorkOutcome): void;
  /** The call only waits for a nested plan from now on. */
  lend(attempt: CallAttempt): void;
  /** Called before the executor is. */
  scope(attempt: CallAttempt): RunScope;
}

/** Milliseconds; `Infinity` for none. */
export interface AttemptLimits {
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
}

/**
 * One attempt of a task's call. One object with methods, in place of a closure for each of them: 1.9 KB less a task. A class, since of object literals V8
 * counts how many live on: when a full collection comes in the first few hundred tasks, most of which run or have just ended, it takes
 * these for long-lived and makes all later ones in the old generation, where each keeps all that its call had until the next full collection.
 */
export class CallAttempt implements CallFields, ScopedCall {
  readonly #owner: AttemptOwner;
  readonly task: number;
  readonly prepared: PreparedStep;
  readonly call: RunningCall;
  /** Milliseconds since the run began. */
  readonly startedMs: number;
  readonly runId: string;
  readonly idempotencyKey: string;
  /** 1 for the first. */
  readonly number: number;
  readonly timeoutMs: number;
  readonly graceMs: number;
  readonly idleMs: number;
  readonly totalMs: number;
  /** Set before the executor is called. */
  work: TimedWork | undefined;

  constructor(
    owner: AttemptOwner,
    task: number,
    prepared: PreparedStep,
    call: RunningCall,
    startedMs: number,
    runId: string,
    idempotencyKey: string,
    number: number,
    limits: AttemptLimits,
  ) {
    this.#owner = owner;
    this.task = task;
    this.prepared = prepared;
    this.call = call;
    this.startedMs = startedMs;
    this.runId = runId;
    this.idempotencyKey = idempotencyKey;
    this.number = number;
    this.timeoutMs = limits.timeoutMs;
    this.graceMs = limits.graceMs;
    this.idleMs = limits.idleMs;
    this.totalMs = limits.totalMs;
  }

  get usage(): UsageCounter {
    return this.#owner.usage;
  }

  onProgress(progress: unknown): void {
    this.#owner.onProgress(this, progress);
  }

  onCall(recorded: RecordedCall): void {
    this.#owner.onCall(this, recorded);
  }

  onEnd(outcome: WorkOutcome): void {
    this.#owner.onEnd(this, outcome);
  }

  lend(): void {
    this.#owner.lend(this);
  }

  scope(work: TimedWork): RunScope {
    this.work = work;
    return this.#owner.scope(this);
  }

  within<Value>(work: () => Value): Value {
    return this.call.within(work);
  }
}
