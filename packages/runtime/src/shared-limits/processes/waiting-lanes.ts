import type { RunClaim } from "@planloom/plan/internals";
import type { WaitRequest } from "./arena.ts";
import type { PoolPart, SharedLane, SharedQueue } from "./call-share.ts";
import type { ExchangeRequest } from "./exchange.ts";
import { arenaClaim } from "./turns.ts";

/** How many waiting calls of a lane one exchange reports; the next one reports the others. */
const mostWaits = 1_000;

/** The lanes of this process in which calls wait, and what the other processes know of them. */
export class WaitingLanes {
  readonly #queue: SharedQueue;
  /** Those that the exchange under way reports, by the key under which it does. */
  readonly #reported = new Map<string, SharedLane>();
  /** Those that the others know to wait. */
  readonly #registered = new Set<SharedLane>();
  /** Those of which calls were let in since the last exchange. */
  readonly #started = new Set<SharedLane>();
  /** For how long the first of the calls that were reported as expected is, in milliseconds. */
  expectedMs = Number.POSITIVE_INFINITY;

  constructor(queue: SharedQueue) {
    this.#queue = queue;
  }

  /** Whether the others know that calls of the lane wait. */
  isKnown(lane: SharedLane): boolean {
    return this.#registered.has(lane);
  }

  /** How many lanes the others know to wait. */
  get known(): number {
    return this.#registered.size;
  }

  /** A call of the lane was let in. */
  started(lane: SharedLane): void {
    if (lane.started++ === 0) this.#started.add(lane);
  }

  /** What an exchange reports: the calls that wait, those that runs may ask for in a moment, and those let in since the last one. */
  report(): Pick<ExchangeRequest, "waits" | "expected" | "started"> {
    this.#reported.clear();
    const waits: WaitRequest[] = [];
    for (const lane of this.#queue.waitingLanes()) {
      const { needs, size } = lane;
      if (needs.length === 0) continue;
      this.#reported.set(keyOf(lane), lane);
      waits.push(waitOf(lane, lane.strongest, needs, Math.min(size, mostWaits)));
    }
    const started = [...this.#started].map((lane) => waitOf(lane, lane.startedBy, lane.needs, lane.started));
    return { waits, expected: this.#expected(), started };
  }

  #expected(): WaitRequest[] {
    this.expectedMs = Number.POSITIVE_INFINITY;
    return this.#queue.expected().flatMap(({ lane, claim, full, leftMs }) => {
      const pools = new Set(full.map(({ pool }) => pool));
      const needs = lane.needs.filter(([pool]) => pools.has(pool));
      if (needs.length === 0) return [];
      this.expectedMs = Math.min(this.expectedMs, leftMs);
      return [waitOf(lane, claim, needs, 1)];
    });
  }

  /** The exchange is committed: the others know of the calls that were let in. */
  committed(): void {
    for (const lane of this.#started) lane.started = 0;
    this.#started.clear();
  }

  /** @param waiting keys of the lanes that wait on, as the exchange says */
  register(waiting: ReadonlySet<string>): void {
    this.#registered.clear();
    for (const [key, lane] of this.#reported) if (waiting.has(key)) this.#registered.add(lane);
  }

  /** The parts of limits that a reported lane needs units of; empty for what is not a lane. */
  partsOf(key: string): readonly PoolPart[] {
    return this.#reported.get(key)?.poolParts ?? [];
  }

  /** Those of all reported lanes, by pool. */
  parts(): ReadonlyMap<string, PoolPart> {
    const parts = new Map<string, PoolPart>();
    for (const lane of this.#reported.values()) for (const part of lane.poolParts) parts.set(part.pool!, part);
    return parts;
  }

  /** Lets in calls whose turn it was among all processes. @returns false where the key is not that of a reported lane */
  letIn(key: string, count: number): boolean {
    const lane = this.#reported.get(key);
    if (lane === undefined) return false;
    const { started } = lane;
    for (let at = 0; at < count; at++) this.#queue.letIn(lane);
    // They were counted as it was their turn.
    lane.started = started;
    return true;
  }

  /** The process has left the others. */
  forget(): void {
    this.#registered.clear();
  }
}

function waitOf(lane: SharedLane, of: RunClaim | undefined, needs: SharedLane["needs"], count: number): WaitRequest {
  const { tenantKey: tenant, tenantWeight: weight } = lane;
  const claim = arenaClaim(of);
  return { key: keyOf(lane), tenant, needs, count, ...(claim && { claim }), ...(weight !== 1 && { weight }) };
}

function keyOf({ tenantKey, key }: SharedLane): string {
  return JSON.stringify([tenantKey, key]);
}
