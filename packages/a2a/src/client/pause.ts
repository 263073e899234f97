import { setTimeout as delay } from "node:timers/promises";
import { timerMs } from "planloom/plan";

/** @throws the signal's reason once it is aborted */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(timerMs(ms), undefined, { signal }).catch(() => signal.throwIfAborted());
}
