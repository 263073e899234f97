import type { ExecutionKind, Resource } from "@planloom/plan";
import type { RunClaim } from "@planloom/plan/internals";
import type { Account, Reservation } from "./budget-accounts.ts";
import type { CallQueue } from "./call-queue.ts";
import type { Lane, Line, Place, TurnTaker, Waiter } from "./lane.ts";
import type { Slot } from "./slot.ts";
import type { Tenant } from "./tenant.ts";

/** What one run, with those nested in it, asks of the limits that it shares with others. */
export class SharedRun implements TurnTaker {
  readonly claim: RunClaim;
  readonly lines = new Set<Line>();
  readonly #tenant: Tenant;
  readonly #queue: CallQueue;
  readonly #patienceMs: number;
  readonly #onGivenUp: () => void;

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
    return this.#queue.takeNow(lane, this);
  }

  /** A slot for a call whose turn it is. */
  take(lane: Lane): Slot | undefined {
    return lane.take(this);
  }

  serve(ms: number): void {
    this.claim.serve(ms);
    for (const line of this.lines) line.lane.served(line);
  }

  /** The call waits for its turn, which may come at once. @returns its place; undefined where it was refused */
  wait(lane: Lane, waiter: Waiter): Place | undefined {
    const { stalled } = lane;
    if (stalled !== undefined) {
      waiter.refuse(stalled);
      return undefined;
    }
    return this.#queue.add(this.#tenant, lane, this, waiter);
  }

  /** Counts a call that ignored its signal until it has ended. @returns what to call then */
  abandon(slot: Slot): () => void {
    return slot.abandon(this.#patienceMs, this.#onGivenUp);
  }
}
