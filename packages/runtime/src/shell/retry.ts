import type { PlannerTask, Resource, RetryPolicy } from "@planloom/plan";

const defaultDelayMs = 250;
const defaultFactor = 2;
const defaultMaxDelayMs = 30_000;
const defaultAttempts = 3;

/** The task's own policy, else the run's, else 3 attempts where repeating does no harm, else 1. */
export function retryPolicy(task: PlannerTask, resource: Resource, ofRun: RetryPolicy | undefined): RetryPolicy {
  if (task.retry !== undefined) return task.retry;
  if (ofRun !== undefined) return ofRun;
  const harmless = resource.kind === "llm" || resource.read_only === true || resource.idempotent === true;
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
