import type { StoredSignal, StoredWait } from "./stored-wait.ts";

/** A wait in memory. */
export interface MemoryWait {
  readonly wait: StoredWait;
  /** As of `wait`, or when a signal for it was sent. */
  dueAt: number;
  claimedUntil: number;
}

/** The waits and signals of one run in memory. */
export interface MemoryWaits {
  readonly waits: Map<string, MemoryWait>;
  readonly signals: Map<string, StoredSignal>;
}

export function noMemoryWaits(): MemoryWaits {
  return { waits: new Map(), signals: new Map() };
}
