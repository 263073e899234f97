import { setTimeout as delay } from "node:timers/promises";

/** @throws the signal's reason once it is aborted */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => signal.throwIfAborted());
}
