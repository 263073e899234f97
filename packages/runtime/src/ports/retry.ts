import { kindRecord, type PlannerTask, type Resource, type RetryPolicy } from "@planloom/plan";
import type { ErrorClass } from "./error-class.ts";

const defaultDelayMs = 250;
const defaultFactor = 2;
const defaultMaxDelayMs = 30_000;
const defaultAttempts = 3;

/** By class of error; `false` for no retry. */
export type RetryOn = Readonly<Partial<Record<ErrorClass, RetryPolicy | false>>>;

const once: RetryPolicy = { max_attempts: 1 };

/**
 * The task's own policy, else the run's for this class of error, else the run's, else 3 attempts where repeating does no
 * harm and may help, else 1.
 */
export function retryPolicy(
  task: PlannerTask,
  resource: Resource,
  ofRun: RetryPolicy | undefined,
  retryOn: RetryOn | undefined,
  errorClass: ErrorClass,
): RetryPolicy {
  if (task.retry !== undefined) return task.retry;
  const ofClass = retryOn?.[errorClass];
  if (ofClass !== undefined) return ofClass === false ? once : ofClass;
  if (ofRun !== undefined) return ofRun;
  if (errorClass === "client") return once;
  const harmless = kindRecord(resource.kind).repeatable || resource.read_only === true || resource.idempotent === true;
  return { max_attempts: harmless ? defaultAttempts : 1 };
}

/**
 * Milliseconds to wait after `failed` attempts: exponential, at most `max_delay_ms`, of which the upper half is random, so
 * that tasks that failed together do not come back together.
 */
export function retryDelay(policy: RetryPolicy, failed: number, random: () => number): number {
  const {
    initial_delay_ms = defaultDelayMs,
    backoff_factor = defaultFactor,
    max_delay_ms = defaultMaxDelayMs,
  } = policy;
  const full = Math.min(initial_delay_ms * backoff_factor ** (failed - 1), max_delay_ms);
  return full * (0.5 + 0.5 * random());
}
