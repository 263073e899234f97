import type { LeaseOwner, Sighting } from "../../journal/lease.ts";

/** A pool that a call takes a unit of, and how many there are: for rates, each comes back so long after it was used. */
export type PoolNeed = readonly [pool: string, capacity: number, intervalMs?: number];

export type ArenaClaim = readonly [priority: number, deadlineMs: number | null, weight: number];

/** Calls of one tenant to one resource, or runs of one tenant, that wait in one process. */
export interface ArenaWait {
  readonly key: string;
  readonly tenant: string;
  readonly needs: readonly PoolNeed[];
  /** How many wait. */
  readonly count: number;
  /** The claim of the run among them whose turn is first, where it has one: priority, deadline (`null`: none), weight. @default [0, null, 1] */
  readonly claim?: ArenaClaim;
  /** Weight of the tenant beside others. @default 1 */
  readonly weight?: number;
  /** How many of those have their units and do not know it yet. The units count as held. */
  offered: number;
  /** When the first of them was offered, and when the first began to wait, in milliseconds of the clock that processes share. */
  offered_at?: number;
  readonly since: number;
  /** Of runs: the queues that they wait in. */
  readonly queues?: readonly string[];
}

/** What a process reports of calls or runs that wait in it. */
export type WaitRequest = Pick<ArenaWait, "key" | "tenant" | "needs" | "count" | "claim" | "weight" | "queues">;

/** One process with limits of its own instance. */
export interface ArenaMember {
  readonly owner: LeaseOwner;
  readonly beat: number;
  readonly seen_ms: number;
  sightings?: Readonly<Record<string, Sighting>>;
  waits: ArenaWait[];
  /** Budgets that something is reserved of. */
  readonly accounts?: readonly string[];
}

/** Units of one limit: slots, or permissions of a rate. */
export interface ArenaPool {
  /** By member; more than there are where limits were lowered, or a process that was taken for dead came back. */
  readonly held: Record<string, number>;
  /** When units of a rate that no process holds may be used again; those that may already are left out. */
  cooling?: number[];
  interval_ms?: number;
}

/** What all processes hold and wait for. Names begin with a letter and a colon or a digit, so that none is one of `Object.prototype`. */
export interface Arena {
  /** Boot of the machine whose clock the times are of. */
  boot?: string;
  readonly members: Record<string, ArenaMember>;
  readonly pools: Record<string, ArenaPool>;
  /** Calls that were let in while others waited, by tenant (each divided by its weight), and by process and resource within it: the lowest is next. */
  readonly turns: Record<string, number>;
}

export const arenaKey = "arena";

export function parseArena(text: string | undefined): Arena {
  return text === undefined ? { members: {}, pools: {}, turns: {} } : (JSON.parse(text) as Arena);
}

/** How many units of the pool are free and may be used now. */
export function freeUnits(pool: ArenaPool | undefined, capacity: number, nowMs: number): number {
  if (pool === undefined) return capacity;
  let taken = 0;
  for (const held of Object.values(pool.held)) taken += held;
  for (const at of pool.cooling ?? []) if (at > nowMs) taken++;
  return capacity - taken;
}

/** True where a process other than `member` waits for a unit of the pool. */
export function isContested(arena: Arena, pool: string, member: string): boolean {
  for (const [name, { waits }] of Object.entries(arena.members)) {
    if (name === member) continue;
    for (const wait of waits)
      if (wait.count > wait.offered && wait.needs.some(([needed]) => needed === pool)) return true;
  }
  return false;
}

/** Adds to what the member holds of the pool. */
export function hold(arena: Arena, name: string, member: string, by: number): void {
  if (by === 0) return;
  const pool = poolOf(arena, name);
  setHeld(pool, member, (pool.held[member] ?? 0) + by);
}

export function setHeld({ held }: ArenaPool, member: string, count: number): void {
  if (count > 0) held[member] = count;
  else delete held[member];
}

/** The pool, which is created if it does not exist. @param intervalMs of a rate */
export function poolOf(arena: Arena, name: string, intervalMs?: number): ArenaPool {
  const known = arena.pools[name] ?? { held: {} };
  if (intervalMs !== undefined) known.interval_ms = intervalMs;
  arena.pools[name] = known;
  return known;
}
