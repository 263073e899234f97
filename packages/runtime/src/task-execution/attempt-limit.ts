import type { Executor } from "@planloom/plan";
import { defaultTaskTimeoutMs, type Settings } from "../run-settings.ts";

/**
 * How long one attempt may take, in milliseconds: what the task asks for, up to the ceiling; else what suits the resource, where the run
 * says no more than the default; else what the run says.
 * @param suitable of the executor (`Executor.timeoutMs`); `Infinity` where it is not known here
 */
export function attemptLimitMs(
  asked: number | undefined,
  suitable: number | undefined,
  { taskTimeoutMs, maxTaskTimeoutMs }: Pick<Settings, "taskTimeoutMs" | "maxTaskTimeoutMs">,
): number {
  if (asked !== undefined) return Math.min(asked, maxTaskTimeoutMs);
  if (suitable === undefined || taskTimeoutMs !== defaultTaskTimeoutMs) return taskTimeoutMs;
  return Math.min(suitable, maxTaskTimeoutMs);
}

/** What the executor says of the resource; nothing where it throws, or gives no number above 0. */
export function suitableLimitMs(executor: Executor, uid: string): number | undefined {
  if (executor.timeoutMs === undefined) return undefined;
  try {
    const limitMs: unknown = executor.timeoutMs(uid);
    return typeof limitMs === "number" && limitMs > 0 ? limitMs : undefined;
  } catch {
    return undefined;
  }
}
