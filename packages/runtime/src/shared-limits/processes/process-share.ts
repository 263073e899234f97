import { newId, timerMs } from "@planloom/plan";
import { RuntimeError, RuntimeErrorCode } from "../../errors.ts";
import { leaseRenewalMs, leaseTimeoutMs, processOwner, releaseOwner } from "../../journal/lease.ts";
import { type Observer, thisProcess } from "../../journal/process-identity.ts";
import type { LimitStore } from "../../ports/limit-store.ts";
import { taskErrorFrom } from "../../task-error.ts";
import type { Counter } from "../counter.ts";
import { spendReserved, updateAccounts } from "./account-rows.ts";
import { type Arena, arenaKey, parseArena } from "./arena.ts";
import { BudgetShare } from "./budget-share.ts";
import type { CallShare, SharedLane, SharedQueue } from "./call-share.ts";
import { type ExchangeAnswer, type ExchangeRequest, exchange } from "./exchange.ts";
import { ExchangeTimer } from "./exchange-timer.ts";
import { HeldUnits, type RunCount } from "./held-units.ts";
import { firstPauseMs, LookPauses, longestPauseMs } from "./look-pauses.ts";
import { idleMs, RestWatch } from "./rest-watch.ts";
import { WaitingLanes } from "./waiting-lanes.ts";
import { type Entrant, WaitingRuns } from "./waiting-runs.ts";

/** A slot that others wait for is used again here for so long after the last exchange, so that short calls do not ask for each. */
const quantumMs = 5;
/** How often a process that holds units looks, where the store cannot notify it. */
const unwatchedMs = 50;
/** After so long without an exchange units are not used without asking: another process, which cannot see that this one lives, may have taken them. */
const freshMs = leaseTimeoutMs - 2 * leaseRenewalMs;

/**
 * The part of one process in limits that several share. It knows by itself what it may use without asking. It reports to the others and asks them in
 * one transaction, an exchange: when it lacks something, when others wait for what it gives back, and from time to time.
 */
export class ProcessShare implements CallShare {
  readonly #open: () => Promise<LimitStore>;
  #opening: Promise<LimitStore> | undefined;
  readonly #queue: SharedQueue;
  readonly #owner = processOwner(newId());
  readonly #here: Observer;
  readonly #held: HeldUnits;
  readonly budgets: BudgetShare;
  readonly #runs = new WaitingRuns();
  readonly #timer: ExchangeTimer;
  #awaiting: (() => void)[] = [];
  readonly #lanes: WaitingLanes;
  readonly #rest = new RestWatch();
  #joined = false;
  #exchanging: Promise<void> | undefined;
  #again = false;
  #housekeeping: NodeJS.Timeout | undefined;
  #stopWatching: (() => void) | undefined;
  readonly #pauses = new LookPauses();
  #checksOthers = false;
  #exchangedAt = Number.NEGATIVE_INFINITY;
  #lastText: string | undefined;
  #checkedAt = Number.NEGATIVE_INFINITY;
  /** Whether another exchange was requested during the present one. */
  #missed = false;
  #closing: (() => void) | undefined;
  #closed = false;

  /** @param open called when it is first needed */
  constructor(open: () => Promise<LimitStore>, queue: SharedQueue, here: Observer = thisProcess()) {
    this.#open = open;
    this.#queue = queue;
    this.#held = new HeldUnits((isContested) => queue.contenders.setOthers(isContested));
    this.#lanes = new WaitingLanes(queue);
    this.#here = here;
    this.budgets = new BudgetShare(() => this.#scheduleIn(0));
    this.#timer = new ExchangeTimer(
      () => void this.#exchange(),
      () => {
        this.#checksOthers ||= this.#isWaiting;
        void this.#exchange();
      },
    );
    queue.share = this;
  }

  /** False where too much time has passed to use what it has without asking. */
  get isFresh(): boolean {
    return performance.now() - this.#exchangedAt < freshMs;
  }

  /** A call waits. */
  want(lane: SharedLane): void {
    // If the others know that it waits, those that give units back offer them.
    if (!this.#lanes.isKnown(lane) || !this.isFresh) this.#scheduleIn(0);
  }

  /** A call of the lane was let in. */
  started(lane: SharedLane): void {
    this.#rest.took();
    this.#lanes.started(lane);
  }

  /** Units are free again. */
  released(counters: readonly Counter[]): void {
    let contested = false;
    const sinceMs = performance.now() - this.#exchangedAt;
    for (const counter of counters) {
      if (!counter.contested) continue;
      contested = true;
      // Calls that wait elsewhere would wait for ever if those that wait here came first each time.
      if (sinceMs >= quantumMs && counter.granted > counter.used) counter.giveBack(1);
    }
    if (contested) this.#scheduleIn(Math.max(0, quantumMs - sinceMs));
    else if (this.#closing !== undefined) this.#scheduleIn(0);
  }

  /** A run asks to begin, or to wait until it may. */
  enter(entrant: Entrant): void {
    this.#runs.add(entrant);
    this.#checksOthers ||= performance.now() - this.#checkedAt >= longestPauseMs;
    this.#scheduleIn(0);
  }

  /** Ends a wait. Resolves when the other processes were informed, or could not be. */
  leave(entrant: Entrant): Promise<void> {
    this.#runs.remove(entrant);
    return this.#nextExchange();
  }

  /** Counts the runs of this process in a pool. */
  countRuns(runCount: RunCount): void {
    this.#held.countRuns(runCount);
  }

  /** A run has begun or ended. */
  runsChanged(): void {
    this.#scheduleIn(0);
  }

  /** @throws RuntimeError where the journal cannot keep limits, or be opened */
  store(): Promise<LimitStore> {
    if (this.#closed) return Promise.reject(closedError());
    this.#opening ??= this.#open().catch((error: unknown) => {
      // The next one may find the file unlocked.
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  /** What all processes have and wait for, as it was committed last. */
  async arena(): Promise<Arena> {
    const store = await this.store();
    return parseArena(await store.read(arenaKey));
  }

  /** The same without processes that are gone. */
  async checkedArena(): Promise<Arena> {
    this.#checksOthers = true;
    await this.#nextExchange();
    return this.arena();
  }

  /** Gives everything back. Abandoned calls keep their slots until they end. */
  async close(): Promise<void> {
    if (this.#closed) return;
    if (this.#opening === undefined) {
      this.#closed = true;
      releaseOwner(this.#owner);
      return;
    }
    await new Promise<void>((resolve) => {
      this.#closing = resolve;
      this.#scheduleIn(0);
    });
  }

  /** Resolves after an exchange that begins from now on, also if that fails. */
  #nextExchange(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      this.#awaiting.push(resolve);
      this.#scheduleIn(0);
    });
  }

  #scheduleIn(ms: number): void {
    if (!this.#closed) this.#timer.scheduleIn(ms);
  }

  /** One at a time. */
  async #exchange(): Promise<void> {
    if (this.#exchanging !== undefined) {
      this.#again = true;
      return;
    }
    let done = () => {};
    this.#exchanging = new Promise((resolve) => {
      done = resolve;
    });
    try {
      do {
        this.#again = false;
        await this.#exchangeOnce();
      } while (this.#again && !this.#closed);
    } finally {
      this.#exchanging = undefined;
      done();
    }
    if (this.#missed) await this.#look();
  }

  async #exchangeOnce(): Promise<void> {
    const awaiting = this.#awaiting;
    this.#awaiting = [];
    this.#timer.cancelLater();
    const entrants = this.#runs.newOnes();
    let failed = false;
    try {
      const store = await this.store();
      const { answer, budgets, text, left, checked } = await store.change((rows) => {
        const arena = parseArena(rows.get(arenaKey));
        const request = this.#request(entrants, arena);
        const answer = exchange(arena, request, this.#here);
        for (const [dead, accounts] of answer.dead) spendReserved(rows, dead, accounts);
        const { updates, asks } = this.budgets.request(answer.forgotten);
        const budgets = updateAccounts(rows, request.member, updates, asks, this.#here);
        const text = JSON.stringify(arena);
        rows.set(arenaKey, text);
        // They are given back here, since the process that gets them does not wait for this one.
        this.#held.giveBack(answer.givenBack);
        return { answer, budgets, text, left: request.leave, checked: request.checkOthers };
      });
      this.#lastText = text;
      this.#exchangedAt = performance.now();
      if (checked) this.#checkedAt = performance.now();
      this.#checksOthers = false;
      this.#lanes.committed();
      this.#held.committed();
      if (answer.notify || budgets.notify) store.notify();
      if (left) this.#leave();
      else this.#join(store);
      this.#apply(answer, entrants);
      this.budgets.answer(budgets);
      this.#waitOn(answer);
    } catch (error) {
      failed = true;
      this.#fail(error as Error);
    }
    // What this exchange gave back may have been the last thing that kept the process among the others.
    if (this.#closing !== undefined && this.#joined && !failed && this.#mayLeave) this.#again = true;
    else if (this.#closing !== undefined) await this.#closeStore();
    for (const resolve of awaiting) resolve();
  }

  #request(entrants: readonly Entrant[], arena: Arena): ExchangeRequest {
    const { waits: callWaits, ...calls } = this.#lanes.report();
    const waits = [...callWaits, ...this.#runs.waits()];
    const holds = this.#held.report();
    const isIdle = waits.length + entrants.length === 0 && holds.every(({ used }) => used === 0) && this.budgets.isIdle;
    // What is offered to it is given back first, so that waiting processes get it.
    const leave = isIdle && (this.#closing !== undefined || this.#rest.isRested);
    return {
      member: this.#owner.token,
      owner: this.#owner,
      joined: this.#joined,
      holds,
      waits,
      ...calls,
      entrants,
      keepIdle: this.#closing === undefined && !this.#rest.isRested,
      checkOthers:
        this.#checksOthers || !this.#joined || arena.members[this.#owner.token] === undefined || this.#isCheckDue,
      accounts: this.budgets.reservedKeys,
      leave,
    };
  }

  /** It has nothing more to do with the others, once it has given back what is idle. */
  get #mayLeave(): boolean {
    return !this.#isWaiting && this.budgets.isIdle && this.#held.isUnused;
  }

  #apply(answer: ExchangeAnswer, entrants: readonly Entrant[]): void {
    const { granted, extra, contested, waiting } = answer;
    if (answer.keeps) this.#scheduleIn(Math.max(1, this.#lanes.expectedMs));
    this.#lanes.register(waiting);
    if (granted.length > 0) this.#pauses.restart();
    const parts = this.#lanes.parts();
    for (const [key, count] of granted) for (const part of this.#lanes.partsOf(key)) this.#held.grant(part, count);
    for (const [pool, count] of extra) this.#held.grant(parts.get(pool)!, count);
    this.#held.setContested(contested);
    for (const [at, entrant] of entrants.entries()) {
      // A run that has left meanwhile is not counted, which the next exchange reports.
      if (!this.#runs.answered(entrant, answer.entrants[at]!)) this.#scheduleIn(0);
    }
    for (const [key, count] of granted) {
      if (!this.#lanes.letIn(key, count) && !this.#runs.letIn(key, count)) this.#scheduleIn(0);
    }
    this.#queue.pump();
  }

  #join(store: LimitStore): void {
    if (this.#joined) return;
    this.#joined = true;
    this.#stopWatching = store.watch(() => this.#look());
    const isWatched = this.#stopWatching !== undefined;
    this.#housekeeping = setInterval(() => this.#keepHouse(isWatched), isWatched ? idleMs : unwatchedMs);
    this.#housekeeping.unref();
  }

  #leave(): void {
    this.#joined = false;
    this.#lanes.forget();
    this.#held.clear();
    this.#stopWatching?.();
    this.#stopWatching = undefined;
    clearInterval(this.#housekeeping);
  }

  /** Another process has reported a change. */
  async #look(): Promise<void> {
    if (!this.#joined) return;
    this.#missed = this.#exchanging !== undefined;
    if (this.#missed) return;
    try {
      const store = await this.store();
      const text = await store.read(arenaKey);
      if (text === this.#lastText || !this.#joined) {
        if (this.budgets.waits) this.#scheduleIn(0);
        return;
      }
      this.#lastText = text;
      const arena = parseArena(text);
      const own = arena.members[this.#owner.token];
      let isAsked = own === undefined || own.waits.some(({ offered }) => offered > 0) || this.budgets.waits;
      isAsked ||= own !== undefined && own.waits.length < this.#lanes.known;
      if (this.#held.noteContested(arena, this.#owner.token)) isAsked = true;
      if (isAsked) this.#scheduleIn(0);
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #keepHouse(isWatched: boolean): void {
    if (!isWatched) this.#look();
    this.#rest.look();
    const sinceMs = performance.now() - this.#exchangedAt;
    if (sinceMs >= leaseRenewalMs || (this.#rest.isRested && (this.#held.hasIdle || this.#isEmpty)))
      this.#scheduleIn(0);
  }

  get #isWaiting(): boolean {
    return this.#queue.waiting > 0 || this.#runs.size > 0 || this.budgets.waits;
  }

  /** A process that is gone sends no notification, and a waiting process may get other notifications all the time. */
  get #isCheckDue(): boolean {
    return this.#isWaiting && performance.now() - this.#checkedAt >= longestPauseMs;
  }

  get #isEmpty(): boolean {
    return this.#held.isEmpty && !this.#isWaiting && this.budgets.isIdle;
  }

  /** A waiting process looks from time to time, since a process that is gone sends nothing. */
  #waitOn({ retryAtMs, alone }: ExchangeAnswer): void {
    if (!this.#isWaiting) {
      this.#pauses.restart();
      return;
    }
    const untilRateMs = retryAtMs - this.#here.monotonicMs();
    // Without other processes it waits for its own calls, which schedule the exchange.
    const ownPauseMs = this.#pauses.take();
    const pauseMs = Math.min(alone ? Number.POSITIVE_INFINITY : ownPauseMs, untilRateMs);
    if (pauseMs < Number.POSITIVE_INFINITY) this.#scheduleIn(Math.max(1, timerMs(pauseMs)));
  }

  #fail(error: Error): void {
    const isLocked = error instanceof RuntimeError && error.code === RuntimeErrorCode.JOURNAL_LOCKED;
    if (!isLocked) {
      const taskError = taskErrorFrom(error);
      this.#queue.refuseAll(taskError);
      this.#runs.refuseAll(error);
      this.budgets.fail(error);
    }
    // Units are given back when the store can be written again.
    this.#scheduleIn(isLocked ? firstPauseMs : leaseRenewalMs);
  }

  async #closeStore(): Promise<void> {
    const closed = this.#closing;
    if (!this.#joined) {
      this.#closed = true;
      this.#timer.stop();
      releaseOwner(this.#owner);
      await this.#opening?.then((store) => store.close()).catch(() => undefined);
      for (const resolve of this.#awaiting.splice(0)) resolve();
    }
    closed?.();
  }
}

function closedError(): RuntimeError {
  return new RuntimeError(
    RuntimeErrorCode.JOURNAL_READ,
    "The limits were closed. Make a new instance for further runs.",
  );
}
