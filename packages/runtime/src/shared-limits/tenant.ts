import type { ExecutionKind } from "@planloom/plan";
import { compareByClaim, compareByWeight, RunTurns } from "@planloom/plan/internals";
import type { Registry } from "../executors/registry.ts";
import { Contenders } from "./contenders.ts";
import { Lane, type LaneQueue, type LaneTenant, type Waiter } from "./lane.ts";
import type { Pause } from "./pauses.ts";
import type { BudgetShare } from "./processes/budget-share.ts";
import { ScopeLimits } from "./scope-limits.ts";
import type { ReadScope } from "./shared-options.ts";

/** Where calls of tenants wait. */
export interface TenantQueue extends LaneQueue {
  /** A run of the tenant has ended a call, and may ask for the next one soon. */
  paused(tenant: Tenant): void;
  /** Nobody of the tenant is expected to ask soon any more. */
  resumed(tenant: Tenant): void;
}

/** Those that runs are counted together by: limits of its own, beside those of all, and calls that wait. */
export class Tenant implements LaneTenant {
  readonly key: string;
  /** Limits of all runs, the tenant's in the options, and those that its runs bring. */
  readonly scopes: readonly ScopeLimits[];
  readonly #given: ScopeLimits;
  readonly #lanes = new Map<string, Lane>();
  /** Lanes with calls that wait, the one that had its turn last at the end. */
  readonly #waitingLanes: Lane[] = [];
  readonly #turns = new RunTurns();
  readonly #queue: TenantQueue;
  readonly #now: () => number;
  /** Calls that wait. */
  waiting = 0;
  /** Its runs, where only limits of its own are concerned. */
  readonly contenders = new Contenders();
  /** True while the queue looks at it in turn. */
  inTurn = false;
  /** Runs of it that may ask for a call soon. */
  readonly pauses = new Set<Pause>();

  constructor(
    key: string,
    all: ScopeLimits,
    limits: ReadScope,
    unlimited: ReadScope,
    now: () => number,
    queue: TenantQueue,
    budgets?: BudgetShare,
  ) {
    const name = key === "" ? "runs without a tenant" : `tenant ${JSON.stringify(key)}`;
    this.key = key;
    this.#now = now;
    const id = JSON.stringify(key);
    const make = (what: string, options: ReadScope) =>
      new ScopeLimits(name, options, now, budgets && { budgets, id: `${what}:${id}` });
    this.#given = make("given", unlimited);
    this.scopes = [all, make("tenant", limits), this.#given];
    this.#queue = queue;
  }

  /** Its share of turns beside other tenants: the lower of that of the options and that which its runs bring; 1 where neither says any. */
  get weight(): number {
    const given = [this.scopes[1]!, this.#given].map(({ options }) => options.weight ?? Number.POSITIVE_INFINITY);
    const lowest = Math.min(...given);
    return lowest === Number.POSITIVE_INFINITY ? 1 : lowest;
  }

  /** True where calls of its runs may have to wait for one another. */
  get limitsCalls(): boolean {
    return this.scopes.some((scope) => scope.limitsCalls);
  }

  /** Its own scopes, without that of all runs. */
  get own(): readonly ScopeLimits[] {
    return this.scopes.slice(1);
  }

  /** Limits that one of its runs brings; they hold until another brings others. */
  configure(limits: ReadScope): void {
    this.#given.configure(limits);
    this.rebuild();
  }

  /** Finds the resources that limits name. */
  resolve(known: Registry): void {
    for (const scope of this.scopes) scope.resolve(known);
    this.rebuild();
  }

  rebuild(): void {
    for (const lane of this.#lanes.values()) lane.rebuild();
  }

  /** As that of `ScopeLimits`, of the lowest limit; without those that runs bring, since the next run may bring others. */
  capacityOf(name: string): number {
    const fixed = this.scopes.filter((scope) => scope !== this.#given);
    return Math.min(...fixed.map((scope) => scope.capacityOf(name)));
  }

  lane(kind: ExecutionKind, uid: string): Lane {
    const key = `${kind}:${uid}`;
    const known = this.#lanes.get(key);
    if (known !== undefined) return known;
    const lane = new Lane(this.scopes, this, kind, key, this.#queue, this.#turns, this.#now);
    this.#lanes.set(key, lane);
    return lane;
  }

  /** The lane has calls that wait, so it takes its turn. */
  enqueue(lane: Lane): void {
    this.waiting++;
    if (lane.inTurn) return;
    lane.inTurn = true;
    this.#waitingLanes.push(lane);
  }

  paused(pause: Pause): void {
    // A run that asks again begins no earlier than those that wait.
    if (pause.run.lines.size === 0) this.#turns.join(pause.run.claim);
    this.pauses.add(pause);
    this.#queue.paused(this);
  }

  resumed(pause: Pause): void {
    this.pauses.delete(pause);
    if (this.pauses.size === 0) this.#queue.resumed(this);
  }

  /**
   * A call of its own that may be made now: of the run whose turn it is, whichever resource it is to; resources of equals take turns.
   * @param kept pauses for which slots are kept already
   * @returns a pause where a run would go first that may ask for a call soon
   */
  next(kept: ReadonlySet<Pause>): Waiter | Pause | undefined {
    const compare = this.#turns.isByWeight ? compareByWeight : compareByClaim;
    const waiting = this.#waitingLanes;
    let best: Lane | undefined;
    let count = 0;
    for (const lane of waiting) {
      lane.inTurn = lane.size > 0;
      if (!lane.inTurn) continue;
      // It is asked for each call that is let in and once more: the list is kept, without those where nothing waits.
      waiting[count++] = lane;
      if (lane.isOpen && (best === undefined || compare(lane.nextClaim!, best.nextClaim!) < 0)) best = lane;
    }
    waiting.length = count;
    if (this.pauses.size > 0) {
      const first = best?.nextClaim;
      for (const pause of this.pauses) {
        if (kept.has(pause) || pause.full.some(({ isFull }) => isFull)) continue;
        if (first === undefined || (pause.run.claim !== first && compare(pause.run.claim, first) < 0)) return pause;
      }
    }
    if (best === undefined) return undefined;
    if (count > 1) waiting.push(...waiting.splice(waiting.indexOf(best), 1));
    this.waiting--;
    return best.next();
  }

  /** Lanes that have, or had, calls that wait. */
  lanes(): Iterable<Lane> {
    return this.#lanes.values();
  }
}
