import type { PlannerTask, RetryPolicy } from "@planloom/plan";
import { callKinds } from "../call-kinds.ts";
import type { Settings } from "../run-settings.ts";
import { attemptLimitMs } from "../task-execution/attempt-limit.ts";

const defaultAttempts = 3;
const defaultMaxDelayMs = 30_000;

type SubgraphTimeLimits = Pick<
  Settings,
  | "taskTimeoutMs"
  | "taskTimeoutGiven"
  | "maxTaskTimeoutMs"
  | "totalTimeoutMs"
  | "bindTimeoutMs"
  | "abortGraceMs"
  | "maxAttempts"
  | "retry"
  | "retryOn"
>;

/**
 * How long tasks may take one after the other by their own limits, in milliseconds: Stage 2, all attempts and the waits between them, each
 * with its grace. A task that may run a plan of its own gets the most that any task may ask for on top. `Infinity` where one has no limit.
 */
export function subgraphLimitMs(tasks: readonly PlannerTask[], settings: SubgraphTimeLimits): number {
  return tasks.reduce((sum, task) => sum + taskLimitMs(task, settings), settings.abortGraceMs);
}

function taskLimitMs(task: PlannerTask, settings: SubgraphTimeLimits): number {
  const { maxTaskTimeoutMs, totalTimeoutMs, bindTimeoutMs, abortGraceMs } = settings;
  const policies = policiesOf(task, settings);
  const attempts = Math.min(settings.maxAttempts, Math.max(...policies.map(({ max_attempts }) => max_attempts)));
  const delayMs = Math.max(...policies.map(({ max_delay_ms = defaultMaxDelayMs }) => max_delay_ms));
  const attemptMs = attemptLimitMs(task.timeout_ms, unknownLimitMs(task.execution_type), settings);
  const allMs = attempts * (attemptMs + abortGraceMs) + Math.max(0, attempts - 1) * delayMs;
  // A limit that the task itself names is for all that runs in it.
  const mayNest = task.execution_type === "" || callKinds[task.execution_type].runsTasks;
  const nestedMs = !mayNest || task.timeout_ms !== undefined ? 0 : maxTaskTimeoutMs;
  return bindTimeoutMs + Math.min(allMs, totalTimeoutMs) + nestedMs;
}

/** The limit of the resource, which the process of the run does not know. */
function unknownLimitMs(kind: PlannerTask["execution_type"]): number | undefined {
  return kind === "" || callKinds[kind].mayLimitTime ? Number.POSITIVE_INFINITY : undefined;
}

/** Whichever of them holds in the end: that depends on the resource and on what fails. */
function policiesOf({ retry }: PlannerTask, { retry: ofRun, retryOn = {} }: SubgraphTimeLimits): RetryPolicy[] {
  if (retry !== undefined) return [retry];
  const ofClasses = Object.values(retryOn).filter((policy) => policy !== false);
  return [ofRun ?? { max_attempts: defaultAttempts }, ...ofClasses];
}
