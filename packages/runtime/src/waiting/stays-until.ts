import type { RunWaits } from "./run-waits.ts";

/**
 * Whether a plan of which only waits are left stays in its process: what is due soon is not worth ending its work, and where nothing could wake it
 * again it stays for as long as it takes.
 * @param dueAt when the first of its waits is over by time, milliseconds since the epoch; `Infinity` where only signals end them
 * @param waitHereMs the longest time that it stays, in milliseconds
 */
export function staysUntil(dueAt: number, waits: RunWaits, waitHereMs: number): boolean {
  if (waits.areKept || Number.isFinite(waitHereMs)) return dueAt - Date.now() <= waitHereMs;
  return dueAt < Number.POSITIVE_INFINITY;
}
