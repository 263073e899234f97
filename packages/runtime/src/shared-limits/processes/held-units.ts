import { Counter } from "../counter.ts";
import { type Arena, isContested } from "./arena.ts";
import type { PoolPart } from "./call-share.ts";
import type { PoolHold } from "./exchange.ts";

/** The runs of one scope that this process executes, counted in a pool. */
export interface RunCount {
  readonly pool: string;
  readonly count: () => number;
}

/** The units of shared limits that this process holds, in use or idle. It knows nothing of calls that wait, nor of the store. */
export class HeldUnits {
  readonly #parts = new Set<PoolPart>();
  readonly #runCounts = new Map<string, RunCount>();
  readonly #onContested: (isContested: boolean) => void;

  /** @param onContested called with whether other processes want some of what this one holds, after each look at that */
  constructor(onContested: (isContested: boolean) => void) {
    this.#onContested = onContested;
  }

  /** True where the process holds no part of a limit on calls. */
  get isEmpty(): boolean {
    return this.#parts.size === 0;
  }

  /** True where some unit could be given back. */
  get hasIdle(): boolean {
    return [...this.#parts].some((part) => !(part instanceof Counter) || part.granted > part.used);
  }

  /** True where no unit is in use. */
  get isUnused(): boolean {
    return this.report().every(({ used }) => used === 0);
  }

  countRuns(runCount: RunCount): void {
    this.#runCounts.set(runCount.pool, runCount);
  }

  /** `count` more units of the part. */
  grant(part: PoolPart, count: number): void {
    part.grant(count);
    this.#parts.add(part);
  }

  /** What an exchange reports: a record for each pool with units in use or idle. */
  report(): PoolHold[] {
    const holds: PoolHold[] = [];
    for (const part of this.#parts) {
      if (part instanceof Counter) {
        const used = part.capacity === Number.POSITIVE_INFINITY ? 0 : part.used;
        holds.push({ pool: part.pool!, used, idle: Math.max(0, part.granted - used) });
      } else {
        // A transaction that gave them back was not committed.
        part.times = [...part.returning, ...part.times].toSorted((a, b) => a - b);
        part.returning = [];
        const { pool, times, rate } = part;
        holds.push({ pool, used: 0, idle: times.length, times, intervalMs: rate.intervalMs });
      }
    }
    for (const { pool, count } of this.#runCounts.values()) {
      const used = count();
      if (used > 0) holds.push({ pool, used, idle: 0 });
      else this.#runCounts.delete(pool);
    }
    return holds;
  }

  /** Gives back all idle units of these pools, within the transaction. Call `committed` after it. */
  giveBack(pools: readonly string[]): void {
    if (pools.length === 0) return;
    const given = new Set(pools);
    for (const part of this.#parts) {
      if (!given.has(part.pool!)) continue;
      if (part instanceof Counter) part.giveBack(Math.max(0, part.granted - part.used));
      else {
        part.returning = part.times;
        part.times = [];
      }
    }
  }

  /** The transaction in which units were given back is committed. */
  committed(): void {
    for (const part of this.#parts) if (!(part instanceof Counter)) part.returning = [];
  }

  /** Notes for which pools other processes wait, and forgets parts without units. */
  setContested(contested: ReadonlySet<string>): void {
    for (const part of this.#parts) {
      part.contested = contested.has(part.pool!);
      const isUnheld = part instanceof Counter ? part.granted + part.used === 0 : part.times.length === 0;
      if (isUnheld) this.#parts.delete(part);
    }
    this.#sayContested();
  }

  /** Notes the pools that others than `member` wait for. @returns whether idle units are among them */
  noteContested(arena: Arena, member: string): boolean {
    let hasIdle = false;
    for (const part of this.#parts) {
      if (!isContested(arena, part.pool!, member)) continue;
      part.contested = true;
      hasIdle ||= part instanceof Counter ? part.granted > part.used : part.times.length > 0;
    }
    this.#sayContested();
    return hasIdle;
  }

  #sayContested(): void {
    this.#onContested([...this.#parts].some(({ contested }) => contested));
  }

  /** The process has left the others, after it gave all units back. */
  clear(): void {
    this.#parts.clear();
    this.#sayContested();
  }
}
