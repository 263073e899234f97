import { isStale, type LeaseOwner, withSighting } from "../../journal/lease.ts";
import type { Observer } from "../../journal/process-identity.ts";
import {
  type Arena,
  type ArenaClaim,
  type ArenaMember,
  type ArenaPool,
  type ArenaWait,
  freeUnits,
  hold,
  isContested,
  type PoolNeed,
  poolOf,
  setHeld,
  type WaitRequest,
} from "./arena.ts";
import { deal, forgetTurns, noteStarts } from "./turns.ts";

/** An offer that was not taken up for so long goes to others: its process may be stopped. In milliseconds. */
export const offerMs = 1_000;

/** What a process has of one pool. */
export interface PoolHold {
  readonly pool: string;
  readonly used: number;
  readonly idle: number;
  /** When each idle unit of a rate may be used again. */
  readonly times?: readonly number[];
  readonly intervalMs?: number;
}

/** A run that asks whether it may begin. */
export interface EntrantRequest {
  readonly key: string;
  readonly tenant: string;
  readonly needs: readonly PoolNeed[];
  readonly claim?: ArenaClaim;
  readonly weight?: number;
  /** Queues that it would wait in, and how many may wait there; without a number as many as like. */
  readonly queues: readonly (readonly [queue: string, most: number | undefined])[];
}

export interface ExchangeRequest {
  readonly member: string;
  readonly owner: LeaseOwner;
  /** It is a member, as far as it knows. */
  readonly joined: boolean;
  readonly holds: readonly PoolHold[];
  readonly waits: readonly WaitRequest[];
  /** Calls that it may ask for in a moment: where they would go first, their units stay its own meanwhile. */
  readonly expected: readonly WaitRequest[];
  readonly entrants: readonly EntrantRequest[];
  /** Calls that it let in by itself, with the claim of the last of them. */
  readonly started: readonly WaitRequest[];
  /** False gives back all idle units. */
  readonly keepIdle: boolean;
  /** Looks for processes that are gone. */
  readonly checkOthers: boolean;
  /** Budgets that it has reserved something of. */
  readonly accounts: readonly string[];
  /** It has nothing more to do with the others. */
  readonly leave: boolean;
}

export type EntrantAnswer =
  | { readonly type: "begin" }
  | { readonly type: "queued" }
  | { readonly type: "full"; readonly queue: string; readonly queued: number; readonly running: readonly number[] };

export interface ExchangeAnswer {
  /** Another process has taken this one for dead: its idle units are gone. */
  readonly forgotten: boolean;
  /** Pools whose idle units were given back. */
  readonly givenBack: readonly string[];
  /** Calls or runs that may continue; their units are held. */
  readonly granted: readonly (readonly [key: string, count: number])[];
  /** Units are kept for calls that it may ask for in a moment. */
  readonly keeps: boolean;
  /** Further units, for calls to come. */
  readonly extra: readonly (readonly [pool: string, count: number])[];
  /** Pools that others wait for. */
  readonly contested: ReadonlySet<string>;
  readonly entrants: readonly EntrantAnswer[];
  /** Keys of its own calls and runs that wait on. */
  readonly waiting: ReadonlySet<string>;
  /** When a rate lets one of its own calls through, by the shared clock. */
  readonly retryAtMs: number;
  /** Others are to look. */
  readonly notify: boolean;
  /** No other process takes part. */
  readonly alone: boolean;
  /** Members that are gone, with what was reserved for them: it counts as spent. */
  readonly dead: readonly (readonly [member: string, accounts: readonly string[]])[];
}

/**
 * One exchange of a process: it reports what it uses and wants, and gets what it may have. Changes `arena` in place; the caller stores all of
 * it or nothing. Units go to the process whose turn it is. O(what is held and waits there).
 */
export function exchange(arena: Arena, request: ExchangeRequest, here: Observer): ExchangeAnswer {
  const { member, keepIdle } = request;
  const now = here.monotonicMs();
  beginBoot(arena, here, now);
  const before = arena.members[member];
  const forgotten = request.joined && before === undefined;
  const dead = request.checkOthers ? removeDead(arena, member, here, now) : [];
  let notify = dead.length > 0;
  withdrawOldOffers(arena, member, now);
  const granted = acceptOffers(arena, before, request);
  arena.members[member] = {
    owner: request.owner,
    beat: (before?.beat ?? 0) + 1,
    seen_ms: now,
    waits: remainingWaits(before, request, granted, now),
    ...(request.accounts.length > 0 && { accounts: request.accounts }),
  };
  const givenBack = writeHolds(arena, request, granted, forgotten, now);
  noteStarts(arena, member, request.started);
  const isContestedCall = ({ needs }: WaitRequest) => needs.some(([pool]) => isContested(arena, pool, member));
  const expected = request.leave ? [] : request.expected.filter(isContestedCall);
  const { dealt, keeps, reached } = deal(arena, now, { member, expected, known: keysOf(before) });
  for (const [to, wait] of dealt) {
    if (to !== member) {
      wait.offered_at ??= now;
      notify = true;
      continue;
    }
    add(granted, wait.key, 1);
  }
  const own = arena.members[member]!;
  own.waits = own.waits.map((wait) => ({ ...wait, count: wait.count - wait.offered, offered: 0 }));
  const entrants = request.entrants.map((entrant) => enter(arena, member, entrant, now));
  own.waits = own.waits.filter(({ count }) => count > 0);
  const waiting = new Set(own.waits.map(({ key }) => key));
  const contested = new Set<string>();
  for (const [pool, { held }] of Object.entries(arena.pools))
    if (held[member] !== undefined && isContested(arena, pool, member)) contested.add(pool);
  const others = Object.keys(arena.members).length - 1;
  const extra = keepIdle && !request.leave ? takeExtra(arena, request, granted, contested, others, now) : [];
  if (own.waits.length > 0 && others > 0 && isAsking(before, own)) notify = true;
  const retryAtMs = soonestCooled(arena, own, now);
  if (request.leave) delete arena.members[member];
  prune(arena, now);
  forgetTurns(arena, reached);
  return {
    forgotten,
    givenBack,
    granted: [...granted],
    keeps,
    extra,
    contested,
    entrants,
    waiting,
    retryAtMs,
    notify,
    alone: others === 0,
    dead,
  };
}

/** After a start of the machine its clock begins again: units that were cooling cool for a whole interval again. */
function beginBoot(arena: Arena, { process: { boot } }: Observer, now: number): void {
  const isOther = arena.boot !== boot;
  if (isOther && boot !== undefined) arena.boot = boot;
  for (const pool of Object.values(arena.pools)) {
    if (pool.cooling === undefined) continue;
    const latest = now + (pool.interval_ms ?? 0);
    pool.cooling = isOther ? pool.cooling.map(() => latest) : pool.cooling.map((at) => Math.min(at, latest));
  }
}

function removeDead(
  arena: Arena,
  member: string,
  here: Observer,
  now: number,
): (readonly [member: string, accounts: readonly string[]])[] {
  const dead: (readonly [string, readonly string[]])[] = [];
  for (const [name, other] of Object.entries(arena.members)) {
    if (name === member) continue;
    const { owner, beat, seen_ms: seenMs, sightings } = other;
    const lease = { owner, beat, seenMs, ...(sightings && { sightings }) };
    if (!isStale(lease, here)) {
      const seen = withSighting(lease, here);
      if (seen !== undefined) other.sightings = seen;
      continue;
    }
    dead.push([name, other.accounts ?? []]);
    delete arena.members[name];
    for (const pool of Object.values(arena.pools)) {
      const held = pool.held[name] ?? 0;
      delete pool.held[name];
      // It is unknown when it used them; now is the latest possible time.
      if (pool.interval_ms !== undefined) cool(pool, Array<number>(held).fill(now + pool.interval_ms));
    }
  }
  return dead;
}

/** Units that were offered and not taken up go back, and the process that did not take them up asks again when it can. */
function withdrawOldOffers(arena: Arena, member: string, now: number): void {
  for (const [name, other] of Object.entries(arena.members)) {
    if (name === member) continue;
    const isSilent = other.waits.some(({ offered, offered_at = now }) => offered > 0 && now - offered_at > offerMs);
    if (!isSilent) continue;
    for (const wait of other.waits) for (const [pool] of wait.needs) hold(arena, pool, name, -wait.offered);
    other.waits = [];
  }
}

/** What was offered since is its own now, as far as it still wants it. */
function acceptOffers(
  arena: Arena,
  before: ArenaMember | undefined,
  { member, waits }: ExchangeRequest,
): Map<string, number> {
  const granted = new Map<string, number>();
  for (const { key, offered, needs } of before?.waits ?? []) {
    const wanted = Math.min(offered, waits.find((wait) => wait.key === key)?.count ?? 0);
    if (wanted > 0) granted.set(key, wanted);
    for (const [pool] of needs) hold(arena, pool, member, wanted - offered);
  }
  return granted;
}

function remainingWaits(
  before: ArenaMember | undefined,
  { waits }: ExchangeRequest,
  granted: ReadonlyMap<string, number>,
  now: number,
): ArenaWait[] {
  return waits.flatMap((wait) => {
    const count = wait.count - (granted.get(wait.key) ?? 0);
    if (count <= 0) return [];
    const since = before?.waits.find(({ key }) => key === wait.key)?.since ?? now;
    return [{ ...wait, count, offered: 0, since }];
  });
}

/** Writes what the member has of each pool, and gives back what is idle and wanted by others. @returns pools whose idle units are gone */
function writeHolds(
  arena: Arena,
  { member, holds, waits, keepIdle }: ExchangeRequest,
  granted: ReadonlyMap<string, number>,
  forgotten: boolean,
  now: number,
): string[] {
  const accepted = new Map<string, number>();
  for (const { key, needs } of waits) {
    const count = granted.get(key) ?? 0;
    if (count > 0) for (const [pool] of needs) add(accepted, pool, count);
  }
  for (const [name, pool] of Object.entries(arena.pools)) setHeld(pool, member, accepted.get(name) ?? 0);
  const givenBack: string[] = [];
  // What its own calls wait for is dealt with all that is free: they may lack something else.
  const wanted = new Set(waits.flatMap(({ needs }) => needs.map(([pool]) => pool)));
  for (const { pool, used, idle, times, intervalMs } of holds) {
    const keeps = keepIdle && !forgotten && !wanted.has(pool) && !isContested(arena, pool, member);
    hold(arena, pool, member, keeps ? used + idle : used);
    const row = arena.pools[pool];
    if (row !== undefined && intervalMs !== undefined) row.interval_ms = intervalMs;
    if (keeps || idle === 0) continue;
    givenBack.push(pool);
    if (times === undefined || intervalMs === undefined || forgotten) continue;
    const cooling = times.filter((at) => at > now);
    if (cooling.length > 0) cool(poolOf(arena, pool, intervalMs), cooling);
  }
  return givenBack;
}

function enter(arena: Arena, member: string, entrant: EntrantRequest, now: number): EntrantAnswer {
  const { key, tenant, needs, claim, weight, queues } = entrant;
  const waits = arena.members[member]!.waits;
  if (needs.every(([pool, capacity]) => freeUnits(arena.pools[pool], capacity, now) > 0)) {
    for (const [pool] of needs) hold(arena, pool, member, 1);
    return { type: "begin" };
  }
  for (const [queue, most] of queues) {
    if (most === undefined) continue;
    const queued = queuedIn(arena, queue);
    if (queued < most) continue;
    return {
      type: "full",
      queue,
      queued,
      running: needs.map(([pool, capacity]) => capacity - freeUnits(arena.pools[pool], capacity, now)),
    };
  }
  const known = waits.findIndex((wait) => wait.key === key);
  if (known !== -1) waits[known] = { ...waits[known]!, count: waits[known]!.count + 1 };
  else {
    const wait = { key, tenant, needs, count: 1, offered: 0, since: now, queues: queues.map(([queue]) => queue) };
    waits.push({ ...wait, ...(claim && { claim }), ...(weight && { weight }) });
  }
  return { type: "queued" };
}

/** How many runs of all processes wait in the queue. */
export function queuedIn(arena: Arena, queue: string): number {
  let queued = 0;
  for (const { waits } of Object.values(arena.members))
    for (const wait of waits) if (wait.queues?.includes(queue)) queued += wait.count;
  return queued;
}

/**
 * Units that no process waits for, which are given in advance so that later calls need not ask: all of them where no other process takes part, else a share. Runs are
 * too few for that.
 */
function takeExtra(
  arena: Arena,
  { member, waits }: ExchangeRequest,
  granted: ReadonlyMap<string, number>,
  contested: ReadonlySet<string>,
  others: number,
  now: number,
): [pool: string, count: number][] {
  const extra: [string, number][] = [];
  const seen = new Set<string>();
  for (const { key, needs } of waits) {
    if (key.startsWith("run:") || !granted.has(key)) continue;
    for (const [pool, capacity] of needs) {
      if (seen.has(pool)) continue;
      seen.add(pool);
      if (contested.has(pool)) continue;
      const free = freeUnits(arena.pools[pool], capacity, now);
      const count = others === 0 ? free : Math.floor(free / (others + 1));
      if (count <= 0) continue;
      hold(arena, pool, member, count);
      extra.push([pool, count]);
    }
  }
  return extra;
}

function keysOf(member: ArenaMember | undefined): ReadonlySet<string> {
  return new Set(member?.waits.map(({ key }) => key));
}

/** It waits for something that it did not wait for before: those who hold it do not know yet. */
function isAsking(before: ArenaMember | undefined, { waits }: ArenaMember): boolean {
  const known = keysOf(before);
  return waits.some(({ key }) => !known.has(key));
}

/** When the first unit of a rate that one of its calls needs may be used again. */
function soonestCooled(arena: Arena, { waits }: ArenaMember, now: number): number {
  let soonest = Number.POSITIVE_INFINITY;
  for (const { needs } of waits)
    for (const [pool] of needs)
      for (const at of arena.pools[pool]?.cooling ?? []) if (at > now) soonest = Math.min(soonest, at);
  return soonest;
}

function prune(arena: Arena, now: number): void {
  for (const [name, pool] of Object.entries(arena.pools)) {
    if (pool.cooling !== undefined) {
      pool.cooling = pool.cooling.filter((at) => at > now);
      if (pool.cooling.length === 0) delete pool.cooling;
    }
    if (Object.keys(pool.held).length === 0 && pool.cooling === undefined) delete arena.pools[name];
  }
}

function cool(pool: ArenaPool, times: readonly number[]): void {
  if (times.length > 0) pool.cooling = [...(pool.cooling ?? []), ...times].toSorted((a, b) => a - b);
}

function add(counts: Map<string, number>, key: string, by: number): void {
  counts.set(key, (counts.get(key) ?? 0) + by);
}
