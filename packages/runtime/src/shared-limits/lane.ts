import type { ExecutionKind } from "@planloom/plan";
import { CallLength, compareByClaim, compareByWeight, type RunClaim, type RunTurns } from "@planloom/plan/internals";
import type { Rate } from "../ports/token-bucket.ts";
import { type TaskError, TaskErrorCode, taskError } from "../task-error.ts";
import type { Counter } from "./counter.ts";
import { MovableHeap } from "./movable-heap.ts";
import type { Pause, RunPauses } from "./pauses.ts";
import type { PoolNeed } from "./processes/arena.ts";
import type { CallShare, PoolPart } from "./processes/call-share.ts";
import { SharedTokens } from "./processes/shared-tokens.ts";
import { Ring } from "./ring.ts";
import type { ScopeLimits } from "./scope-limits.ts";
import { Slot, type SlotQueue } from "./slot.ts";
import { type Served, SlotUse } from "./slot-use.ts";

/** A call that waits for its turn. Neither of the two throws; one of them is called at most once. */
export interface Waiter {
  /** The call may be made now: the waiter takes a slot, or does not need one any more. */
  go(): void;
  /** It never may. */
  refuse(error: TaskError): void;
}

/** A run that takes turns with others. */
export interface TurnTaker extends Served {
  readonly pauses: RunPauses;
  /** Other runs use or want slots. */
  readonly hasRivals: boolean;
  readonly claim: RunClaim;
  /** Where calls of it wait. */
  readonly lines: Set<Line>;
  /** @param by 1 when calls of a further resource wait, -1 when they do no more */
  waits(by: 1 | -1): void;
}

/** Whose calls wait in a lane. */
export interface LaneTenant {
  readonly key: string;
  readonly weight: number;
  /** A run that has ended a call may ask for the next one soon. */
  paused(pause: Pause): void;
  /** It has asked. */
  resumed(pause: Pause): void;
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
  /** The line of its run; undefined until the call has joined it. */
  line: Line | undefined;
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
    this.#lane.left(this.line!);
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

/** Calls of one run to one resource, in the order of coming. */
export class Line {
  readonly run: TurnTaker;
  readonly lane: Lane;
  readonly places = new Ring<Place>();
  /** Places of calls that still wait. */
  waiting = 0;
  /** Its places in the two orders of its lane; below 0 where it is in neither. */
  byClaim = -1;
  byWeight = -1;
  /** When it came, or its last turn was: of equals, the one for which that is longest ago goes first. */
  since: number;

  constructor(run: TurnTaker, lane: Lane, since: number) {
    this.run = run;
    this.lane = lane;
    this.since = since;
  }
}

/** What binds the calls of one resource by one tenant, and which of them wait. Runs take turns, in the order of their claims. */
export class Lane {
  readonly #scopes: readonly ScopeLimits[];
  readonly #kind: ExecutionKind;
  /** `kind:uid` of the resource. */
  readonly key: string;
  readonly #tenant: LaneTenant;
  readonly #queue: LaneQueue;
  #counters: readonly (readonly [scope: ScopeLimits, counter: Counter])[] = [];
  #bare: readonly Counter[] = [];
  #buckets: readonly Rate[] = [];
  /** Limits of it that several processes share, and how many there are of each. */
  poolParts: readonly PoolPart[] = [];
  needs: readonly PoolNeed[] = [];
  /** Calls let in since the last exchange with the other processes, and the claim of the last of them. */
  started = 0;
  startedBy: RunClaim | undefined;
  readonly #byClaim = new MovableHeap<"byClaim", Line>(
    "byClaim",
    (a, b) => compareByClaim(a.run.claim, b.run.claim) || a.since - b.since,
  );
  readonly #byWeight = new MovableHeap<"byWeight", Line>(
    "byWeight",
    (a, b) => compareByWeight(a.run.claim, b.run.claim) || a.since - b.since,
  );
  /** The run whose turn it still is, how many more of its calls may start in this turn, and until when. */
  #inTurn: { readonly line: Line; callsLeft: number; readonly endsAt: number } | undefined;
  readonly #now: () => number;
  readonly #lineOf = new Map<TurnTaker, Line>();
  readonly #turns: RunTurns;
  readonly #length = new CallLength();
  #comings = 0;
  /** Calls that wait. */
  size = 0;
  /** True while its tenant looks at it in turn. */
  inTurn = false;

  /**
   * @param queue the calls waiting there are let in when a slot is free again
   * @param turns those of the tenant's runs
   * @param now milliseconds, for turns and the time that calls take
   */
  constructor(
    scopes: readonly ScopeLimits[],
    tenant: LaneTenant,
    kind: ExecutionKind,
    key: string,
    queue: LaneQueue,
    turns: RunTurns,
    now: () => number,
  ) {
    this.#now = now;
    this.#turns = turns;
    this.#scopes = scopes;
    this.#tenant = tenant;
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

  get tenantKey(): string {
    return this.#tenant.key;
  }

  get tenantWeight(): number {
    return this.#tenant.weight;
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

  /**
   * Takes a slot for a call of the run, where it is open. The caller checks that no other call is passed over.
   * @param hadTurn false for a call that nobody waits beside
   */
  take(run: TurnTaker, hadTurn = true): Slot | undefined {
    if (!this.isOpen) return undefined;
    for (const counter of this.#bare) counter.used++;
    const rates = this.hasRates ? this.#buckets.map((rate) => ({ rate, taken: rate.take() })) : undefined;
    this.startedBy = run.claim;
    this.#queue.share?.started(this);
    const use = new SlotUse(run, hadTurn, this.key, this.#length, this.#now, (tookMs) => this.#ended(run, tookMs));
    return new Slot(this.#bare, this.#queue, rates, use);
  }

  #ended(run: TurnTaker, tookMs: number): void {
    if (!run.hasRivals) return;
    const { waiting } = this.#queue;
    const full: Counter[] = [];
    for (const counter of this.#bare) {
      const { used, bound, contested } = counter;
      // More calls are made or wait than the limit allows.
      if (contested || used + waiting > bound) full.push(counter);
    }
    if (full.length === 0) return;
    const pause = run.pauses.begin(run, this, full, this.#now(), tookMs);
    if (pause !== undefined) this.#tenant.paused(pause);
  }

  countsIn(counter: Counter): boolean {
    return this.#bare.includes(counter);
  }

  /** The run asks for a call. */
  askedBy(run: TurnTaker): void {
    const pause = run.pauses.end(this.#bare, this.#now());
    if (pause !== undefined) this.#tenant.resumed(pause);
  }

  /** As `take`, for a call that nobody waits beside. */
  takeUncontested(run: TurnTaker): Slot | undefined {
    if (!this.isOpen) return undefined;
    if (run.lines.size === 0) this.#turns.join(run.claim);
    this.#turns.passed(run.claim);
    return this.take(run, false);
  }

  /** Calls of one run are let in in the order of coming. */
  add(run: TurnTaker, place: Place): void {
    const line = this.#lineOf.get(run) ?? this.#begin(run);
    line.places.push(place);
    line.waiting++;
    place.line = line;
    this.size++;
  }

  #begin(run: TurnTaker): Line {
    if (run.lines.size === 0) this.#turns.join(run.claim);
    const line = new Line(run, this, this.#comings++);
    this.#lineOf.set(run, line);
    run.lines.add(line);
    run.waits(1);
    this.#byClaim.add(line);
    this.#byWeight.add(line);
    return line;
  }

  /** The run of the line has been served. */
  served(line: Line): void {
    this.#byClaim.move(line);
    this.#byWeight.move(line);
  }

  /** A call of the line waits no longer. */
  left(line: Line): void {
    this.size--;
    if (--line.waiting > 0) return;
    this.#byClaim.drop(line);
    this.#byWeight.drop(line);
    this.#lineOf.delete(line.run);
    line.run.lines.delete(line);
    line.run.waits(-1);
    if (this.#inTurn?.line === line) this.#inTurn = undefined;
  }

  /** The claim of the run whose call is next; undefined where none waits. */
  get nextClaim(): RunClaim | undefined {
    return this.#head?.run.claim;
  }

  /** The strongest claim among those that wait. */
  get strongest(): RunClaim | undefined {
    return this.#byClaim.first?.run.claim;
  }

  /** The call whose turn it is; undefined where none waits. */
  next(): Waiter | undefined {
    const line = this.#head;
    if (line === undefined) return undefined;
    if (this.#goesOn) this.#inTurn!.callsLeft--;
    else this.#giveTurn(line);
    const place = firstOf(line);
    place.left = true;
    this.left(line);
    return place.waiter;
  }

  /** The run whose turn it is: the one that has it, as long as its turn lasts. */
  get #head(): Line | undefined {
    if (this.#goesOn) return this.#inTurn!.line;
    return (this.#turns.isByWeight ? this.#byWeight : this.#byClaim).first;
  }

  get #goesOn(): boolean {
    const turn = this.#inTurn;
    return turn !== undefined && turn.callsLeft > 0 && this.#now() < turn.endsAt;
  }

  #giveTurn(line: Line): void {
    this.#turns.gave(this.#byWeight.first!.run.claim.servedMs);
    line.since = this.#comings++;
    line.run.claim.turn();
    this.served(line);
    this.#inTurn = { line, callsLeft: turnCalls - 1, endsAt: this.#now() + turnMs };
  }
}

/** The first that still waits; there is one. */
function firstOf({ places }: Line): Place {
  let place = places.shift()!;
  while (place.left) place = places.shift()!;
  return place;
}
