import { compareByClaim, RunClaim, turnsPerFairTurn } from "@planloom/plan/internals";
import { type Arena, type ArenaClaim, type ArenaWait, freeUnits, hold } from "./arena.ts";

interface Candidate {
  readonly member: string;
  readonly wait: ArenaWait;
  readonly claim: RunClaim;
  /** Names of its turns: of its tenant, of the process within that, of the resource within that. */
  readonly turns: readonly [string, string, string];
}

/**
 * Deals free units to the calls that wait: to the tenant that was let in least for its weight while it waited, in it to the process
 * whose run claims most (every fourth time whatever they claim), then to the one that was let in least for its weight, in that to the resource.
 * A call gets all units that it needs, or none. A newcomer begins at the turn of those that wait already, so that it does not make up for time in
 * which it wanted nothing. O(dealt · waiting).
 * @returns to whom, in order; each is noted as offered, and its units as held
 */
export function deal(arena: Arena, now: number): (readonly [member: string, wait: ArenaWait])[] {
  const open: Candidate[] = [];
  for (const [member, { waits }] of Object.entries(arena.members))
    for (const wait of waits)
      open.push({ member, wait, claim: claimOf(wait.claim), turns: namesOf(member, wait.tenant, wait.key) });
  arrive(arena, open);
  const dealt: (readonly [string, ArenaWait])[] = [];
  for (;;) {
    let best: Candidate | undefined;
    for (const candidate of open) {
      const { wait } = candidate;
      if (wait.offered >= wait.count || (best !== undefined && !isBefore(arena, candidate, best))) continue;
      if (wait.needs.every(([pool, capacity]) => freeUnits(arena.pools[pool], capacity, now) > 0)) best = candidate;
    }
    if (best === undefined) return dealt;
    for (const [pool, , intervalMs] of best.wait.needs) {
      hold(arena, pool, best.member, 1);
      if (intervalMs !== undefined) arena.pools[pool]!.interval_ms = intervalMs;
    }
    best.wait.offered++;
    note(arena, best.turns, 1, best.wait.weight, best.claim);
    dealt.push([best.member, best.wait]);
  }
}

/** Counts calls that a process let in by itself while others waited. */
export function noteStarts(
  arena: Arena,
  member: string,
  started: readonly (readonly [tenant: string, key: string, count: number])[],
): void {
  for (const [tenant, key, count] of started) {
    const wait = arena.members[member]?.waits.find((each) => each.key === key);
    // Nothing of it may wait in that process any more; the tenant's weight is known from others.
    const { weight } = wait ?? waitOf(arena, tenant) ?? {};
    note(arena, namesOf(member, tenant, key), count, weight, claimOf(wait?.claim));
  }
}

/** A tenant has its turns for its weight, and within it a process for the weight of its run. A member that waits no more has no turn to keep. */
function note(
  { turns }: Arena,
  names: Candidate["turns"],
  count: number,
  tenantWeight: number | undefined,
  { weight }: RunClaim,
): void {
  const weights = [tenantWeight ?? 1, weight, 1];
  for (const [level, name] of names.entries()) if (turns[name] !== undefined) turns[name] += count / weights[level]!;
}

function waitOf({ members }: Arena, tenant: string): ArenaWait | undefined {
  for (const { waits } of Object.values(members)) for (const wait of waits) if (wait.tenant === tenant) return wait;
  return undefined;
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

/** Turns of those who wait no more. */
export function forgetTurns(arena: Arena): void {
  const waiting = new Set<string>();
  for (const [member, { waits }] of Object.entries(arena.members))
    for (const { tenant, key } of waits) for (const name of namesOf(member, tenant, key)) waiting.add(name);
  for (const name of Object.keys(arena.turns)) if (!waiting.has(name)) delete arena.turns[name];
}

/** Runs and calls have turns of their own. */
function namesOf(member: string, tenant: string, key: string): readonly [string, string, string] {
  const of = key.startsWith("run:") ? "r:" : "c:";
  const ofTenant = `${of}${JSON.stringify(tenant)}`;
  return [ofTenant, `${ofTenant} ${member}`, `${ofTenant} ${member} ${key}`];
}

/** Gives those without a turn the lowest of those that wait beside them. */
function arrive({ turns }: Arena, open: readonly Candidate[]): void {
  for (const level of [0, 1, 2] as const) {
    const peersOf = ({ turns: names }: Candidate) => (level === 0 ? names[0].slice(0, 2) : names[level - 1]!);
    const lowest = new Map<string, number>();
    for (const candidate of open) {
      const turn = turns[candidate.turns[level]];
      const group = peersOf(candidate);
      if (turn !== undefined) lowest.set(group, Math.min(turn, lowest.get(group) ?? Number.POSITIVE_INFINITY));
    }
    for (const candidate of open) turns[candidate.turns[level]] ??= lowest.get(peersOf(candidate)) ?? 0;
  }
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
