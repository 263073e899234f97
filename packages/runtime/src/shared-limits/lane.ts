import type { ExecutionKind } from "@planloom/plan";
import type { Rate } from "../ports/token-bucket.ts";
import { type TaskError, TaskErrorCode, taskError } from "../task-error.ts";
import type { Counter } from "./counter.ts";
import type { PoolNeed } from "./processes/arena.ts";
import type { CallShare, PoolPart } from "./processes/call-share.ts";
import { SharedTokens } from "./processes/shared-tokens.ts";
import { Ring } from "./ring.ts";
import type { ScopeLimits } from "./scope-limits.ts";
import { Slot, type SlotQueue } from "./slot.ts";

/** A call that waits for its turn. Neither of the two throws; one of them is called at most once. */
export interface Waiter {
  /** The call may be made now: the waiter takes a slot, or does not need one any more. */
  go(): void;
  /** It never may. */
  refuse(error: TaskError): void;
}

/** Where calls wait for their turns. */
export interface LaneQueue extends SlotQueue {
  /** Where several processes share limits. */
  readonly share: CallShare | undefined;
  /** Calls that wait. */
  waiting: number;
}

/** Where a call waits. */
export class Place {
  readonly waiter: Waiter;
  readonly #tenant: { waiting: number };
  readonly #lane: Lane;
  readonly #queue: LaneQueue;
  /** It waits no longer. */
  left = false;

  constructor(waiter: Waiter, tenant: { waiting: number }, lane: Lane, queue: LaneQueue) {
    this.waiter = waiter;
    this.#tenant = tenant;
    this.#lane = lane;
    this.#queue = queue;
  }

  /** Before its turn. */
  leave(): void {
    if (this.left) return;
    this.left = true;
    this.#lane.left();
    this.#tenant.waiting--;
    this.#queue.waiting--;
  }
}

/**
 * A run's turn is at most so many of its calls, none of which begins later than so many milliseconds after the first. Calls of a run that
 * come together then end together, and share a write to the journal. Where calls take longer than a turn, each turn is one call.
 */
const turnCalls = 4;
const turnMs = 10;

/** Calls of one run, in the order of coming. */
interface Line {
  readonly run: object;
  readonly places: Ring<Place>;
}

/** What binds the calls of one resource by one tenant, and which of them wait. Runs take turns. */
export class Lane {
  readonly #scopes: readonly ScopeLimits[];
  readonly #kind: ExecutionKind;
  /** `kind:uid` of the resource. */
  readonly key: string;
  readonly tenantKey: string;
  readonly #queue: LaneQueue;
  #counters: readonly (readonly [scope: ScopeLimits, counter: Counter])[] = [];
  #bare: readonly Counter[] = [];
  #buckets: readonly Rate[] = [];
  /** Limits of it that several processes share, and how many there are of each. */
  poolParts: readonly PoolPart[] = [];
  needs: readonly PoolNeed[] = [];
  /** Calls let in since the last exchange with the other processes. */
  started = 0;
  #lines = new Ring<Line>();
  /** The run whose turn it still is, how many more of its calls may start in this turn, and until when. */
  #inTurn: { readonly line: Line; callsLeft: number; readonly endsAt: number } | undefined;
  readonly #now: () => number;
  readonly #lineOf = new Map<object, Line>();
  /** Calls that wait. */
  size = 0;
  /** True while its tenant looks at it in turn. */
  inTurn = false;

  /**
   * @param queue the calls waiting there are let in when a slot is free again
   * @param now milliseconds, for turns
   */
  constructor(
    scopes: readonly ScopeLimits[],
    tenantKey: string,
    kind: ExecutionKind,
    key: string,
    queue: LaneQueue,
    now: () => number,
  ) {
    this.#now = now;
    this.#scopes = scopes;
    this.tenantKey = tenantKey;
    this.#kind = kind;
    this.key = key;
    this.#queue = queue;
    this.rebuild();
  }

  /** The limits of its scopes may be others now. */
  rebuild(): void {
    this.#counters = this.#scopes.flatMap((scope) =>
      scope.counters(this.#kind, this.key).map((counter) => [scope, counter] as const),
    );
    this.#bare = this.#counters.map(([, counter]) => counter);
    this.#buckets = this.#scopes.flatMap((scope) => scope.bucket(this.key) ?? []);
    const counters = this.#bare.filter(
      ({ pool, capacity }) => pool !== undefined && capacity !== Number.POSITIVE_INFINITY,
    );
    const tokens = this.#buckets.filter((bucket) => bucket instanceof SharedTokens);
    this.poolParts = [...counters, ...tokens];
    this.needs = [
      ...counters.map(({ pool, capacity }) => [pool!, capacity] as const),
      ...tokens.map(({ pool, rate }) => [pool, rate.limit, rate.intervalMs] as const),
    ];
  }

  get hasRates(): boolean {
    return this.#buckets.length > 0;
  }

  /** A call may be made now, as far as slots and rates go. */
  get isOpen(): boolean {
    if (this.#queue.share?.isFresh === false) return false;
    for (const counter of this.#bare) if (counter.isFull) return false;
    for (const bucket of this.#buckets) if (bucket.untilNextMs() > 0) return false;
    return true;
  }

  /** Milliseconds until its rates let a call through; 0 where they do. */
  untilRateMs(): number {
    let longest = 0;
    for (const bucket of this.#buckets) longest = Math.max(longest, bucket.untilNextMs());
    return longest;
  }

  /** Why no call of it will ever be made; undefined where one may be. */
  get stalled(): TaskError | undefined {
    const stalled = this.#counters.find(([, counter]) => counter.givenUp && counter.isFull);
    if (stalled === undefined) return undefined;
    const [scope, { name, capacity }] = stalled;
    const message = `It could not start, since all ${capacity} slots of the limit "${name}" of ${scope.name} are held by attempts that ignored their signal and have not ended. End the work of these attempts, and resume the run.`;
    return taskError(TaskErrorCode.STALLED, message, { limit: name, slots: capacity, scope: scope.name });
  }

  /** Takes a slot, where it is open. The caller checks that no other call is passed over. */
  take(): Slot | undefined {
    if (!this.isOpen) return undefined;
    for (const counter of this.#bare) counter.used++;
    const rates = this.hasRates ? this.#buckets.map((rate) => ({ rate, taken: rate.take() })) : undefined;
    this.#queue.share?.started(this);
    return new Slot(this.#bare, this.#queue, rates);
  }

  /** @param run calls of one run are let in in the order of coming. */
  add(run: object, place: Place): void {
    const line = this.#lineOf.get(run);
    if (line !== undefined) line.places.push(place);
    else {
      const begun: Line = { run, places: new Ring() };
      begun.places.push(place);
      this.#lineOf.set(run, begun);
      this.#lines.push(begun);
    }
    this.size++;
  }

  /** One of those that wait does so no longer. */
  left(): void {
    this.size--;
    if (this.size === 0) this.#clear();
  }

  /** The call whose turn it is; undefined where none waits. */
  next(): Waiter | undefined {
    for (let line = this.#nextLine(); line !== undefined; line = this.#nextLine()) {
      const place = firstOf(line);
      if (line.places.size === 0) {
        this.#lineOf.delete(line.run);
        this.#inTurn = undefined;
      }
      if (place === undefined) continue;
      place.left = true;
      this.left();
      return place.waiter;
    }
    return undefined;
  }

  /** The run whose turn it is now; a run whose turn is over goes to the end. */
  #nextLine(): Line | undefined {
    const turn = this.#inTurn;
    if (turn !== undefined) {
      if (this.#lines.size === 0) return turn.line;
      if (--turn.callsLeft > 0 && this.#now() < turn.endsAt) return turn.line;
      this.#lines.push(turn.line);
    }
    const line = this.#lines.shift();
    this.#inTurn = line && { line, callsLeft: turnCalls, endsAt: this.#now() + turnMs };
    return line;
  }

  #clear(): void {
    this.#lines = new Ring();
    this.#inTurn = undefined;
    this.#lineOf.clear();
  }
}

function firstOf({ places }: Line): Place | undefined {
  for (let place = places.shift(); place !== undefined; place = places.shift()) if (!place.left) return place;
  return undefined;
}
