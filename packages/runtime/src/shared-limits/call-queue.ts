import { timerMs } from "@planloom/plan";
import type { TaskError } from "../task-error.ts";
import { Contenders } from "./contenders.ts";
import type { Counter } from "./counter.ts";
import { type Lane, Place, type TurnTaker, type Waiter } from "./lane.ts";
import type { Pause } from "./pauses.ts";
import type { CallShare, ExpectedCall, SharedQueue } from "./processes/call-share.ts";
import type { Slot } from "./slot.ts";
import type { Tenant, TenantQueue } from "./tenant.ts";
import { WeightedTurns } from "./weighted-turns.ts";

/** A callback of it costs less than one of `queueMicrotask`. */
const settled = Promise.resolve();

/**
 * Calls that wait for slots and rates of several runs. Whenever something is given back, tenants take turns by their weights, call by call, and within a tenant its
 * runs, by turns of a few calls, in the order of their claims (`RunClaim`), so that no run is starved by others, however much they ask for and whatever
 * they claim. Letting in the next call is O(log runs), plus the tenants that it passes over because limits of theirs are full, and the resources of
 * the tenant that calls wait for.
 */
export class CallQueue implements SharedQueue<Lane>, TenantQueue {
  readonly #turns = new WeightedTurns<Tenant>();
  readonly #rated = new Map<Lane, Tenant>();
  #pumping = false;
  /** Something was given back, and those who wait have not been let in yet. */
  #released = false;
  #timer: NodeJS.Timeout | undefined;
  /** Tenants of which runs may ask for a call soon. */
  readonly #pausing = new Set<Tenant>();
  /** Pauses for which slots are kept while calls are let in. */
  readonly #kept = new Set<Pause>();
  /** Limits of which slots were kept when calls were let in last. */
  readonly #keptCounters = new Set<Counter>();
  #keepTimer: NodeJS.Timeout | undefined;
  readonly #now: () => number;
  /** Lanes with calls that wait, where several processes share limits. */
  readonly #lanes = new Map<Lane, Tenant>();
  /** Where several processes share limits. */
  share: CallShare | undefined;
  /** Calls that wait. */
  waiting = 0;
  /** The runs of all tenants, where limits of all runs are concerned. */
  readonly contenders = new Contenders();

  /** @param now milliseconds */
  constructor(now: () => number) {
    this.#now = now;
  }

  /** A slot for a call whose turn it is now; undefined where it has to wait. */
  takeNow(lane: Lane, run: TurnTaker): Slot | undefined {
    // After a rate or the end of a call has made room, waiting calls may not have been let in yet.
    if (this.#released || this.#mayBeKept(lane)) return undefined;
    if (lane.size > 0 || (this.#rated.size > 0 && lane.hasRates)) return undefined;
    return lane.takeUncontested(run);
  }

  /** A slot that is free for calls of the lane may be kept for a run that asks soon. */
  #mayBeKept(lane: Lane): boolean {
    for (const counter of this.#keptCounters) if (lane.countsIn(counter)) return true;
    for (const { pauses } of this.#pausing)
      for (const { full } of pauses) if (full.some((counter) => lane.countsIn(counter))) return true;
    return false;
  }

  paused(tenant: Tenant): void {
    this.#pausing.add(tenant);
    this.#join(tenant);
  }

  resumed(tenant: Tenant): void {
    this.#pausing.delete(tenant);
  }

  #join(tenant: Tenant): void {
    if (tenant.inTurn) return;
    tenant.inTurn = true;
    this.#turns.join(tenant);
  }

  /** The call waits; its turn may come at once. */
  add(tenant: Tenant, lane: Lane, run: TurnTaker, waiter: Waiter): Place {
    const place = new Place(waiter, tenant, lane, this);
    lane.add(run, place);
    this.waiting++;
    tenant.enqueue(lane);
    this.#join(tenant);
    if (lane.hasRates) this.#rated.set(lane, tenant);
    if (this.share !== undefined) this.#lanes.set(lane, tenant);
    if (lane.isOpen) this.pump();
    else {
      if (lane.hasRates) this.#schedule();
      this.share?.want(lane);
    }
    return place;
  }

  /**
   * A slot was given back. Waiting calls are let in on the next turn, so that the end of one call is reported before the next one begins.
   * @param counters what the slot counted in
   */
  released(counters: readonly Counter[]): void {
    this.share?.released(counters);
    if (this.#released || this.waiting === 0) return;
    this.#released = true;
    void settled.then(this.#pumpSoon);
  }

  /** Lanes with calls that wait, where several processes share limits. */
  *waitingLanes(): Iterable<Lane> {
    for (const lane of this.#lanes.keys()) {
      if (lane.size > 0) yield lane;
      else this.#lanes.delete(lane);
    }
  }

  /** Calls that runs of this process may ask for in a moment. */
  expected(): ExpectedCall[] {
    this.#forgetPauses();
    const now = this.#now();
    return [...this.#pausing].flatMap(({ pauses }) =>
      [...pauses].map(({ run, lane, full, untilMs }) => ({ lane, claim: run.claim, full, leftMs: untilMs - now })),
    );
  }

  /** Lets the lane's next call in, whose turn it is among all processes. */
  letIn(lane: Lane): void {
    const tenant = this.#lanes.get(lane);
    const waiter = tenant && lane.next();
    if (waiter === undefined) return;
    tenant!.waiting--;
    this.waiting--;
    waiter.go();
  }

  /** No slot can be had. */
  refuseAll(error: TaskError): void {
    for (const [lane, tenant] of this.#lanes) {
      for (let waiter = lane.next(); waiter !== undefined; waiter = lane.next()) {
        tenant.waiting--;
        this.waiting--;
        waiter.refuse(error);
      }
    }
  }

  readonly #pumpSoon = (): void => {
    this.#released = false;
    this.pump();
  };

  /** Lets in the waiting calls that may go. */
  pump(): void {
    if (this.#pumping) return;
    this.#pumping = true;
    try {
      this.#forgetPauses();
      while (this.waiting > 0 && this.#letNextIn());
    } finally {
      this.#pumping = false;
      this.#lookAgain();
    }
    this.#schedule();
  }

  /** Calls that wait for a limit whose slots are all abandoned stop waiting. */
  refuseStalled(tenants: Iterable<Tenant>): void {
    for (const tenant of tenants) {
      for (const lane of tenant.lanes()) {
        for (let error = lane.stalled; error !== undefined && lane.size > 0; error = lane.stalled) {
          const waiter = lane.next();
          tenant.waiting--;
          this.waiting--;
          waiter?.refuse(error);
        }
      }
    }
  }

  #letNextIn(): boolean {
    const waiter = this.#turns.give(this.#ask);
    if (waiter === undefined) return false;
    this.waiting--;
    waiter.go();
    return true;
  }

  readonly #ask = (tenant: Tenant): Waiter | "passed" | "left" => {
    tenant.inTurn = tenant.waiting > 0 || tenant.pauses.size > 0;
    return tenant.inTurn ? (this.#nextOf(tenant) ?? "passed") : "left";
  };

  /** The tenant's next call. Slots that are kept for runs which may ask soon count as used until all are let in that may be. */
  #nextOf(tenant: Tenant): Waiter | undefined {
    for (;;) {
      const next = tenant.next(this.#kept);
      if (next === undefined || "go" in next) return next;
      this.#kept.add(next);
      for (const counter of next.full) counter.used++;
    }
  }

  /** Runs that have not asked in time are not waited for any longer. */
  #forgetPauses(): void {
    if (this.#pausing.size === 0) return;
    const now = this.#now();
    for (const tenant of this.#pausing) {
      for (const pause of tenant.pauses) if (pause.untilMs <= now) tenant.pauses.delete(pause);
      if (tenant.pauses.size === 0) this.#pausing.delete(tenant);
    }
  }

  /** What was kept while calls were let in is free again, for a run that asks or, after a while, for those that wait. */
  #lookAgain(): void {
    if (this.#keepTimer !== undefined) clearTimeout(this.#keepTimer);
    this.#keepTimer = undefined;
    this.#keptCounters.clear();
    if (this.#kept.size === 0) return;
    let untilMs = Number.POSITIVE_INFINITY;
    for (const pause of this.#kept) {
      for (const counter of pause.full) {
        counter.used--;
        this.#keptCounters.add(counter);
      }
      untilMs = Math.min(untilMs, pause.untilMs);
    }
    this.#kept.clear();
    this.#keepTimer = setTimeout(() => this.pump(), timerMs(Math.max(1, untilMs - this.#now())));
  }

  /** Rates make room as time passes, so a timer looks then. */
  #schedule(): void {
    if (this.#timer !== undefined) clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#rated.size === 0) return;
    let soonest = Number.POSITIVE_INFINITY;
    for (const lane of this.#rated.keys()) {
      if (lane.size === 0) this.#rated.delete(lane);
      else {
        const ms = lane.untilRateMs();
        // Where the rate lets it through, a slot is missing, and giving one back looks again.
        if (ms > 0) soonest = Math.min(soonest, ms);
      }
    }
    if (soonest === Number.POSITIVE_INFINITY) return;
    // Timers may fire up to a millisecond early.
    this.#timer = setTimeout(() => this.pump(), timerMs(Math.ceil(soonest) + 1));
  }
}
