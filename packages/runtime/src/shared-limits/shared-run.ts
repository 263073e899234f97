import type { ExecutionKind, Resource } from "@planloom/plan";
import type { RunClaim } from "@planloom/plan/internals";
import type { Account, Reservation } from "./budget-accounts.ts";
import type { CallQueue } from "./call-queue.ts";
import type { Contenders } from "./contenders.ts";
import type { Lane, Line, TurnTaker, Waiter } from "./lane.ts";
import { type AskedSlot, OwnCalls, type OwnLimit } from "./own-calls.ts";
import { RunPauses } from "./pauses.ts";
import type { Slot } from "./slot.ts";
import type { Tenant } from "./tenant.ts";

/** What one run, with those nested in it, asks of the limits that it shares with others. */
export class SharedRun implements TurnTaker {
  readonly claim: RunClaim;
  readonly lines = new Set<Line>();
  readonly pauses = new RunPauses();
  readonly #tenant: Tenant;
  readonly #queue: CallQueue;
  readonly #patienceMs: number;
  readonly #onGivenUp: () => void;
  readonly #own: OwnCalls;
  /** Those that it contends with for slots; undefined where slots are not limited. */
  readonly #contenders: Contenders | undefined;
  /** Slots that it has, and resources that calls of it wait for. */
  #uses = 0;

  /**
   * @param claim what it brings to the question whose turn it is
   * @param patienceMs how long calls that ignored their signal may keep all others out
   * @param onGivenUp called when that was too long
   */
  constructor(tenant: Tenant, queue: CallQueue, claim: RunClaim, patienceMs: number, onGivenUp: () => void) {
    this.#tenant = tenant;
    this.claim = claim;
    this.#queue = queue;
    this.#patienceMs = patienceMs;
    this.#onGivenUp = onGivenUp;
    this.#own = new OwnCalls((lane, waiter) => queue.add(tenant, lane, this, waiter));
    if (tenant.scopes[0]?.limitsCalls || (tenant.limitsCalls && queue.share !== undefined))
      this.#contenders = queue.contenders;
    else if (tenant.limitsCalls) this.#contenders = tenant.contenders;
  }

  /** The limits of the run's own. Those that are not lower than limits of all runs and of the tenant hold by these. Called before its first call. */
  limitTo(limits: readonly OwnLimit[]): void {
    this.#own.limitTo(limits.filter(({ name, limit }) => limit < this.#tenant.capacityOf(name)));
  }

  /** Abandoned calls have held all of a limit of the run's own for too long. */
  refuseStalled(): void {
    this.#own.refuseStalled();
  }

  /** Counts a call of an earlier session in the limits of the run's own. @param key `kind:uid` of its resource @returns what to call when it has ended */
  keepFor(key: string): () => void {
    this.#own.count(key, 1);
    return () => {
      this.#own.count(key, -1);
      this.#own.admit();
    };
  }

  /** True where what calls use is counted by a budget. */
  get hasBudgets(): boolean {
    return this.#tenant.scopes.some((scope) => scope.hasBudgets);
  }

  /** Budgets that a call of the resource is paid from; those of the whole without a resource. */
  accounts(key: string): Account[] {
    return this.#tenant.scopes.flatMap((scope) => scope.accounts(key));
  }

  /**
   * Asks the other processes whether a reservation holds, where they share its budgets. False, and nothing is reserved any more, where it
   * does not: the next request gets the reason. Rejects with the error of the journal.
   */
  confirm(reservation: Reservation | undefined): Promise<boolean> | undefined {
    const budgets = this.#queue.share?.budgets;
    if (budgets === undefined || reservation === undefined) return undefined;
    if (!reservation.accounts.some(({ elsewhere }) => elsewhere !== undefined)) return undefined;
    return new Promise((resolve, reject) =>
      budgets.confirm(reservation, (allowed) => (allowed instanceof Error ? reject(allowed) : resolve(allowed))),
    );
  }

  lane({ kind, id }: { readonly kind: ExecutionKind; readonly id: Resource["id"] }): Lane {
    return this.#tenant.lane(kind, id);
  }

  /** A slot, unless another call is to get it first. */
  takeNow(lane: Lane): Slot | undefined {
    lane.askedBy(this);
    return this.#own.hasRoom(lane.key) ? this.#queue.takeNow(lane, this) : undefined;
  }

  /** A slot for a call whose turn it is. */
  take(lane: Lane): Slot | undefined {
    return lane.take(this);
  }

  serve(ms: number, hadTurn: boolean): void {
    this.claim.serve(ms, hadTurn);
    for (const line of this.lines) line.lane.served(line);
  }

  holds(key: string, by: 1 | -1): void {
    this.#own.count(key, by);
    this.waits(by);
    if (by === -1) this.#own.admit();
  }

  waits(by: 1 | -1): void {
    const before = this.#uses;
    this.#uses += by;
    if (before === 0) this.#contenders?.change(1);
    else if (this.#uses === 0) this.#contenders?.change(-1);
  }

  /** Other runs, of this process or another, use or want slots at present. */
  get hasRivals(): boolean {
    const contenders = this.#contenders;
    return contenders !== undefined && (contenders.hasOthers || contenders.runs > (this.#uses > 0 ? 1 : 0));
  }

  /** @param listener called when `hasRivals` may have become true @returns what ends it */
  onRivals(listener: () => void): () => void {
    return this.#contenders?.listen(listener) ?? (() => {});
  }

  /** The call waits for its turn, which may come at once. @returns undefined where it was refused */
  wait(lane: Lane, waiter: Waiter): AskedSlot | undefined {
    const { stalled } = lane;
    if (stalled !== undefined) {
      waiter.refuse(stalled);
      return undefined;
    }
    return this.#own.ask(lane, waiter);
  }

  /** Counts a call that ignored its signal until it has ended. @returns what to call then */
  abandon(slot: Slot): () => void {
    return slot.abandon(this.#patienceMs, this.#onGivenUp);
  }
}
