import { isOutOfTime, underWatchdog } from "./watchdog.ts";

/** Steps that one check may take without a watchdog: a few milliseconds. */
const maxSteps = 1_000_000;
/** How long one check may compute with it, in milliseconds, for all that it does together with a value of some 64 KB. */
const maxMs = 150;
/** Parts of such a value; a larger one has as much more time. */
const usualSize = 40_000;

/**
 * How often a check is begun whose time went by while the process had no processor. Each has up to twice as long as the one before, since a
 * machine that starved the process may suddenly not do so any more: enough where it gets a hundredth of the time.
 */
const maxAttempts = 8;
/** Part of its time after which a check has had it: some of it goes to the watchdog itself and to what a thread waits for. */
const hadItsTime = 0.8;

/** Thrown where a check without a watchdog would take more than a few milliseconds: it is begun again with one. */
class NeedsWatchdog extends Error {}

let isWatched = false;
let steps = 0;

/** Announces the most that some work can take. @returns false where it is too much and no watchdog runs; the caller must not do it then */
export function affords(cost: number): boolean {
  if (isWatched) return true;
  if (steps + cost > maxSteps) return false;
  steps += cost;
  return true;
}

/** For work of unknown length: it continues only where a watchdog can end it. */
export function requireWatchdog(): void {
  if (!isWatched) throw new NeedsWatchdog();
}

/** How a schema has done so far; one for each schema. */
export interface CheckHistory {
  /** Size of the smallest value that needed a watchdog; smaller ones are checked without as long as their meter allows. */
  watchedFrom: number;
  /** Size of the smallest value that took too long. */
  tooLong: number;
}

/**
 * Runs one check in bounded time: metered, and where the meter does not do, under a watchdog that ends it. A watchdog costs
 * 0.2 ms, which most checks do not take themselves. A value at least half as large as one that took too long is not tried.
 * @param size of the value: its parts and characters
 * @returns what `work` returns; `undefined` where it would take too long
 */
export function inBoundedTime<T>(history: CheckHistory, size: number, work: () => T): T | undefined {
  if (isWatched) return work();
  if (size < history.watchedFrom) {
    steps = 0;
    try {
      return work();
    } catch (error) {
      if (!(error instanceof NeedsWatchdog)) throw error;
      history.watchedFrom = size;
    }
  }
  const limitMs = Math.ceil(maxMs * Math.max(1, size / usualSize));
  let wallMs = limitMs;
  for (let attempt = 1; size < history.tooLong / 2; attempt++) {
    const computedMs = cpuTimer();
    isWatched = true;
    try {
      return underWatchdog(work, wallMs);
    } catch (error) {
      if (!isOutOfTime(error)) throw error;
      // The watchdog's clock also runs while a busy machine does other work than this: what counts is what this thread computed.
      const hadMs = computedMs();
      if (hadMs >= limitMs * hadItsTime || attempt === maxAttempts) history.tooLong = size;
      // As long as it takes to compute for `limitMs` at the rate of just now.
      else wallMs = Math.ceil(wallMs * Math.min(2, Math.max(1, limitMs / hadMs)));
    } finally {
      isWatched = false;
    }
  }
  return undefined;
}

/** Milliseconds that this thread computes from here to the call of the result; where only the process is measured, its threads together. */
function cpuTimer(): () => number {
  const used = process.threadCpuUsage ?? process.cpuUsage;
  const before = used.call(process);
  return () => {
    const { user, system } = used.call(process, before);
    return (user + system) / 1_000;
  };
}

/** Parts and characters of a value, counted up to `limit`; values that contain themselves reach it. */
export function sizeOfValue(value: unknown, limit: number): number {
  let size = 0;
  const open: unknown[] = [value];
  while (open.length > 0 && size < limit) {
    const part = open.pop();
    size += typeof part === "string" ? 1 + part.length / 16 : 1;
    if (typeof part !== "object" || part === null) continue;
    const members = Object.values(part);
    // What is wide counts at once: it need not be looked at to the end.
    if (size + members.length > limit) return limit;
    for (const member of members) open.push(member);
  }
  return Math.min(limit, size);
}
