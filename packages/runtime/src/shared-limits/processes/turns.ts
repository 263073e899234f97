import { compareByClaim, RunClaim, turnsPerFairTurn } from "@planloom/plan/internals";
import { type Arena, type ArenaClaim, type ArenaWait, freeUnits, hold, type WaitRequest } from "./arena.ts";

/** So many turns are remembered of processes that do not wait, the newest. */
const mostRemembered = 64;
/** Turns that are less apart are the same: they are sums of fractions. */
const sameTurn = 1e-9;

interface Candidate {
  readonly member: string;
  readonly wait: ArenaWait;
  /** It did not wait before this exchange. */
  readonly isNew: boolean;
  readonly claim: RunClaim;
  /** Names of its turns: of its tenant, of the process within that, of the resource within that. */
  readonly turns: readonly [string, string, string];
}

/**
 * Deals free units to the calls that wait: to the tenant that was let in least for its weight while it waited, in it to the process
 * whose run claims most (every fourth time whatever they claim), then to the one that was let in least for its weight, in that to the resource.
 * A call gets all units that it needs, or none. A newcomer begins at the turn of those that wait already, so that it does not make up for time in
 * which it wanted nothing. O(dealt · waiting).
 *
 * A process of which a call has just ended may ask for the next in a moment, as it does for a chain. What it is expected to ask for is dealt with as if it waited: where it would go first, its units stay
 * held, so that they are still there when it asks and its turn is decided.
 * @param own the process whose exchange it is: what it may ask for, and the keys of what waited in it before
 */
export function deal(
  arena: Arena,
  now: number,
  own: {
    readonly member: string;
    readonly expected: readonly WaitRequest[];
    readonly known: ReadonlySet<string>;
  },
): Dealt {
  const open: Candidate[] = [];
  const enter = (member: string, wait: ArenaWait, isNew: boolean) =>
    open.push({ member, wait, isNew, claim: claimOf(wait.claim), turns: namesOf(member, wait.tenant, wait.key) });
  for (const [member, { waits }] of Object.entries(arena.members))
    for (const wait of waits) enter(member, wait, member === own.member && !own.known.has(wait.key));
  const expected = new Set(own.expected.map((wait): ArenaWait => ({ ...wait, offered: 0, since: now })));
  for (const wait of expected) enter(own.member, wait, true);
  arrive(arena, open);
  const reached = new Map<string, number>();
  const dealt: (readonly [string, ArenaWait])[] = [];
  const kept: Candidate[] = [];
  for (;;) {
    let best: Candidate | undefined;
    for (const candidate of open) {
      const { wait } = candidate;
      if (wait.offered >= wait.count || (best !== undefined && !isBefore(arena, candidate, best))) continue;
      if (wait.needs.every(([pool, capacity]) => freeUnits(arena.pools[pool], capacity, now) > 0)) best = candidate;
    }
    if (best === undefined) break;
    for (const [pool, , intervalMs] of best.wait.needs) {
      hold(arena, pool, best.member, 1);
      if (intervalMs !== undefined) arena.pools[pool]!.interval_ms = intervalMs;
    }
    if (!expected.has(best.wait)) reach(reached, arena, open, best);
    best.wait.offered++;
    note(arena, best.turns, 1, best.wait.weight, best.claim);
    if (expected.has(best.wait)) kept.push(best);
    else dealt.push([best.member, best.wait]);
  }
  // They have their turns when they ask.
  for (const { turns, wait, claim } of kept) note(arena, turns, -1, wait.weight, claim);
  return { dealt, keeps: kept.length > 0, reached };
}

/** To whom units were dealt. */
export interface Dealt {
  /** In order; each is noted as offered, and its units as held. */
  readonly dealt: readonly (readonly [member: string, wait: ArenaWait])[];
  /** Units are held for calls that the process may ask for in a moment. */
  readonly keeps: boolean;
  /** How far the turns have come, of those that are compared with one another: the lowest of those that waited when the last of them was dealt a unit. */
  readonly reached: ReadonlyMap<string, number>;
}

function reach(reached: Map<string, number>, { turns }: Arena, open: readonly Candidate[], best: Candidate): void {
  for (const level of [0, 1] as const) {
    const group = groupOf(best, level);
    const waiting = open.filter((each) => groupOf(each, level) === group && each.wait.offered < each.wait.count);
    reached.set(group, Math.min(...waiting.map(({ turns: names }) => turns[names[level]]!)));
  }
}

/** Counts calls that a process let in by itself while others waited. */
export function noteStarts(arena: Arena, member: string, started: readonly WaitRequest[]): void {
  for (const { tenant, key, count, weight, claim } of started)
    note(arena, namesOf(member, tenant, key), count, weight, claimOf(claim));
}

/** A tenant has its turns for its weight, and within it a process for the weight of its run. The newest turns come last. */
function note(
  { turns }: Arena,
  names: Candidate["turns"],
  count: number,
  tenantWeight: number | undefined,
  claim: RunClaim,
): void {
  const weights = weightsOf(tenantWeight, claim);
  for (const [level, name] of names.entries()) {
    const turn = turns[name];
    if (turn === undefined) continue;
    delete turns[name];
    turns[name] = turn + count / weights[level]!;
  }
}

function weightsOf(ofTenant: number | undefined, { weight }: RunClaim): readonly [number, number, number] {
  return [ofTenant ?? 1, weight, 1];
}

function claimOf([priority, deadlineMs, weight]: ArenaClaim = [0, null, 1]): RunClaim {
  return new RunClaim({ priority, weight, ...(deadlineMs !== null && { deadlineMs }) });
}

/** The claim as other processes see it; undefined for that of a run without any. */
export function arenaClaim(claim: RunClaim | undefined): ArenaClaim | undefined {
  if (claim === undefined) return undefined;
  const { priority, deadlineMs, weight } = claim;
  const hasDeadline = deadlineMs !== Number.POSITIVE_INFINITY;
  return priority === 0 && weight === 1 && !hasDeadline
    ? undefined
    : [priority, hasDeadline ? deadlineMs : null, weight];
}

/**
 * Turns of those who wait no more, but for tenants and processes that have had more than those who wait: one that makes a call after the other is back in a moment, and continues where it was.
 * @param reached as `deal` found it
 */
export function forgetTurns({ members, turns }: Arena, reached: Dealt["reached"]): void {
  const waiting = new Set<string>();
  for (const [member, { waits }] of Object.entries(members))
    for (const { tenant, key } of waits) for (const name of namesOf(member, tenant, key)) waiting.add(name);
  const idle = Object.keys(turns).filter((name) => !waiting.has(name));
  const isAhead = (name: string, group: string) =>
    turns[name]! >= (reached.get(group) ?? Number.NEGATIVE_INFINITY) - sameTurn;
  const processes = idle.map((name) => ({ name, parts: processName.exec(name)?.groups }));
  const remembered = processes.filter(
    ({ name, parts }) => parts !== undefined && members[parts.member!] !== undefined && isAhead(name, parts.tenant!),
  );
  const kept = new Set<string>();
  for (const { name, parts } of remembered.slice(-mostRemembered)) {
    kept.add(name);
    if (isAhead(parts!.tenant!, tenantsOf(parts!.tenant!))) kept.add(parts!.tenant!);
  }
  for (const name of idle) if (!kept.has(name)) delete turns[name];
}

/** Runs and calls have turns of their own. */
function namesOf(member: string, tenant: string, key: string): readonly [string, string, string] {
  const of = key.startsWith("run:") ? "r:" : "c:";
  const ofTenant = `${of}${JSON.stringify(tenant)}`;
  return [ofTenant, `${ofTenant} ${member}`, `${ofTenant} ${member} ${key}`];
}

/** The turn of a process within that of a tenant. */
const processName = /^(?<tenant>[cr]:"(?:[^"\\]|\\.)*") (?<member>\S+)$/;

/** Tenants of runs are compared with one another, and tenants of calls. */
function tenantsOf(tenantName: string): string {
  return tenantName.slice(0, 2);
}

/** Those whose turns are compared with one another. */
function groupOf({ turns: names }: Candidate, level: 0 | 1 | 2): string {
  return level === 0 ? tenantsOf(names[0]) : names[level === 1 ? 0 : 1];
}

/**
 * Gives those without a turn the lowest of those that wait beside them. One that is back is at most as many of its calls ahead of these as can be made at once, so that it does not have to make up for what
 * a priority gave it.
 */
function arrive({ turns }: Arena, open: readonly Candidate[]): void {
  for (const level of [0, 1, 2] as const) {
    const lowest = new Map<string, number>();
    for (const candidate of open) {
      const group = groupOf(candidate, level);
      const turn = turns[candidate.turns[level]];
      if (turn !== undefined) lowest.set(group, Math.min(turn, lowest.get(group) ?? turn));
    }
    const waiting = new Set(open.filter(({ isNew }) => !isNew).map(({ turns: names }) => names[level]));
    for (const candidate of open) {
      const { wait, claim } = candidate;
      const name = candidate.turns[level];
      const least = lowest.get(groupOf(candidate, level)) ?? leastOf(turns, candidate, level);
      turns[name] ??= least;
      if (!waiting.has(name)) {
        const mostAhead = reachOf(candidate) / weightsOf(wait.weight, claim)[level];
        turns[name] = Math.min(turns[name], least + mostAhead);
      }
    }
  }
}

/** How many of its calls can be made at once. */
function reachOf({ wait: { needs } }: Candidate): number {
  return Math.min(...needs.map(([, capacity]) => capacity));
}

/** Where nobody beside it waits: the lowest turn of those that waited before. */
function leastOf(turns: Arena["turns"], candidate: Candidate, level: 0 | 1 | 2): number {
  const group = groupOf(candidate, level);
  let least: number | undefined;
  for (const [name, turn] of Object.entries(turns)) {
    const tenant = processName.exec(name)?.groups?.tenant;
    const isBeside = level === 1 ? tenant === group : level === 0 && tenant === undefined && tenantsOf(name) === group;
    if (isBeside) least = Math.min(turn, least ?? turn);
  }
  return least ?? 0;
}

function isBefore({ turns }: Arena, one: Candidate, other: Candidate): boolean {
  const [tenant] = one.turns;
  const given = Math.round((turns[tenant] ?? 0) * (one.wait.weight ?? 1));
  if (tenant === other.turns[0] && given % turnsPerFairTurn !== turnsPerFairTurn - 1) {
    const stronger = compareByClaim(one.claim, other.claim);
    if (stronger !== 0) return stronger < 0;
  }
  for (const level of [0, 1, 2] as const) {
    const [a, b] = [turns[one.turns[level]] ?? 0, turns[other.turns[level]] ?? 0];
    if (a !== b) return a < b;
  }
  return one.wait.since < other.wait.since;
}
