import type { Executor } from "@planloom/plan";
import type { Settings } from "../run-settings.ts";

/**
 * How long one attempt may take, in milliseconds: the limit of the task, up to the ceiling; otherwise the limit of the resource, where the run
 * has the default; otherwise the limit of the run.
 * @param suitable of the executor (`Executor.timeoutMs`); `Infinity` where it is not known here
 */
export function attemptLimitMs(
  asked: number | undefined,
  suitable: number | undefined,
  {
    taskTimeoutMs,
    taskTimeoutGiven,
    maxTaskTimeoutMs,
  }: Pick<Settings, "taskTimeoutMs" | "taskTimeoutGiven" | "maxTaskTimeoutMs">,
): number {
  if (asked !== undefined) return Math.min(asked, maxTaskTimeoutMs);
  if (suitable === undefined || taskTimeoutGiven) return taskTimeoutMs;
  return Math.min(suitable, maxTaskTimeoutMs);
}

/** The limit that the executor names for the resource; undefined where it throws, or gives anything but a number above 0. */
export function suitableLimitMs(executor: Executor, uid: string): number | undefined {
  if (executor.timeoutMs === undefined) return undefined;
  try {
    const limitMs: unknown = executor.timeoutMs(uid);
    return typeof limitMs === "number" && limitMs > 0 ? limitMs : undefined;
  } catch {
    return undefined;
  }
}
