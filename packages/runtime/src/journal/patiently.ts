import { setTimeout as sleep } from "node:timers/promises";
import { isLocked } from "./sqlite-errors.ts";

const longestPauseMs = 50;

/** Does `work` again, after pauses in which the event loop is not blocked, while another process has the lock. */
export async function patiently<T>(limitMs: number, work: () => T): Promise<T> {
  const began = performance.now();
  for (let pauseMs = 5; ; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
    try {
      return work();
    } catch (error) {
      if (!isLocked(error) || performance.now() - began >= limitMs) throw error;
    }
    await sleep(pauseMs);
  }
}
