import { type Amounts, type Budget, type BudgetUnit, budgetUnits, exceeds, nothing } from "../ports/amounts.ts";
import { WaitQueue } from "../ports/wait-queue.ts";

/** One budget and what became of it. `spent + reserved` never exceeds `limit` by a reservation. */
export interface Account {
  /** For messages: `the run`, `subgraph sg-1`, `tool search`. */
  readonly name: string;
  readonly limit: Amounts;
  readonly spent: Amounts;
  readonly reserved: Amounts;
  /** Reservations that are not settled. */
  outstanding: number;
  readonly waiting: WaitQueue;
  /** State of a budget that is renewed at intervals. */
  readonly window?: BudgetWindow;
  /** The state of a budget that several processes share; `reserved` and `outstanding` are this process's. */
  readonly elsewhere?: {
    /** Reserved by the others. */
    readonly others: Amounts;
    /** The part of `spent` that the other processes know. */
    readonly base: Amounts;
    /** Called when the other processes have to be informed or asked. */
    readonly touch: () => void;
  };
}

/** What was spent is forgotten `ms` after the first call of a window; the next window begins with the next call. */
interface BudgetWindow {
  readonly ms: number;
  readonly now: () => number;
  endsAt: number;
}

/** What a call may use of one unit. */
export interface Need {
  /** Must be left, else the call is refused. */
  readonly least: number;
  /** Reserved as far as it is left, at least `least`. `Infinity` where it is unknown: the call gets all that is left, and so runs alone. */
  readonly most: number;
}

export type Wanted = Readonly<Record<BudgetUnit, Need>>;

/** A need of exactly `amount`, or of an unknown amount where it is undefined. */
export function need(amount: number | undefined): Need {
  return amount === undefined ? unknownNeed : { least: amount, most: amount };
}

const unknownNeed: Need = { least: 0, most: Number.POSITIVE_INFINITY };

function reservable({ least, most }: Need, left: number): number {
  return Math.max(least, Math.min(most, left));
}

export interface Reservation {
  readonly accounts: readonly Account[];
  readonly reserved: readonly Amounts[];
}

export type ReserveAnswer =
  | { readonly type: "reserved"; readonly reservation: Reservation }
  /** Enough may be left once those that run have settled. */
  | { readonly type: "wait"; readonly account: Account }
  /** Never: what is spent does not come back. */
  | { readonly type: "refused"; readonly account: Account; readonly unit: BudgetUnit; readonly wanted: number };

/** How many of those who wait may ask again after each settlement. */
const wokenAtOnce = 8;

/** @param windowMs what was spent is forgotten after so long. @default Infinity */
export function openAccount(
  name: string,
  budget: Budget,
  windowMs = Number.POSITIVE_INFINITY,
  now: () => number = () => performance.now(),
): Account {
  const limit = nothing();
  for (const unit of budgetUnits) limit[unit] = budget[unit] ?? Number.POSITIVE_INFINITY;
  const account = { name, limit, spent: nothing(), reserved: nothing(), outstanding: 0, waiting: new WaitQueue() };
  return windowMs === Number.POSITIVE_INFINITY ? account : { ...account, window: { ms: windowMs, now, endsAt: 0 } };
}

/** Another limit from now on, for windows of the same length; what is spent and reserved stays. */
export function setLimit({ limit }: Account, budget: Budget): void {
  for (const unit of budgetUnits) limit[unit] = budget[unit] ?? Number.POSITIVE_INFINITY;
}

/** Milliseconds until what was spent is forgotten; undefined where it never is. */
export function untilWindowEndsMs({ window }: Account): number | undefined {
  return window && Math.max(0, window.endsAt - window.now());
}

function beginWindow({ window, spent, elsewhere }: Account): void {
  if (window === undefined) return;
  const now = window.now();
  if (now < window.endsAt) return;
  window.endsAt = now + window.ms;
  for (const unit of budgetUnits) {
    if (elsewhere === undefined) spent[unit] = 0;
    else {
      // What was not reported yet is reported in the new window.
      spent[unit] -= elsewhere.base[unit];
      elsewhere.base[unit] = 0;
    }
  }
}

/** Reserves in all accounts or in none. It does not wait, so nothing else can reserve between the check and the reservation. */
export function reserve(accounts: readonly Account[], wanted: Wanted): ReserveAnswer {
  let wait: Account | undefined;
  for (const account of accounts) {
    beginWindow(account);
    for (const unit of budgetUnits) {
      const limit = account.limit[unit];
      if (limit === Number.POSITIVE_INFINITY || wanted[unit].most === 0) continue;
      const left = limit - account.spent[unit];
      const asked = reservable(wanted[unit], left);
      if (exceeds(asked, left) || left <= 0) return { type: "refused", account, unit, wanted: asked };
      if (exceeds(asked, left - account.reserved[unit] - (account.elsewhere?.others[unit] ?? 0))) wait ??= account;
    }
  }
  if (wait !== undefined) return { type: "wait", account: wait };
  const reserved = accounts.map((account) => {
    const amounts = nothing();
    for (const unit of budgetUnits) {
      if (account.limit[unit] === Number.POSITIVE_INFINITY) continue;
      amounts[unit] = reservable(wanted[unit], account.limit[unit] - account.spent[unit]);
      account.reserved[unit] += amounts[unit];
    }
    account.outstanding++;
    return amounts;
  });
  return { type: "reserved", reservation: { accounts, reserved } };
}

/** Reserves more of one unit for a call that runs. False, and nothing reserved, when an account has not that much left. */
export function extend({ accounts, reserved }: Reservation, unit: BudgetUnit, more: number): boolean {
  const fits = ({ limit, spent, reserved: held, elsewhere }: Account) =>
    !exceeds(more, limit[unit] - spent[unit] - held[unit] - (elsewhere?.others[unit] ?? 0));
  if (!accounts.every(fits)) return false;
  for (const [at, account] of accounts.entries()) {
    if (account.limit[unit] === Number.POSITIVE_INFINITY) continue;
    account.reserved[unit] += more;
    reserved[at]![unit] += more;
    account.elsewhere?.touch();
  }
  return true;
}

/** A call that runs has used more than was reserved for it: so much is reserved now. False when that is more than there is. */
export function raise({ accounts, reserved }: Reservation, used: Amounts): boolean {
  let within = true;
  for (const [at, account] of accounts.entries()) {
    for (const unit of ["tokens", "cost"] as const) {
      if (account.limit[unit] === Number.POSITIVE_INFINITY) continue;
      const more = used[unit] - reserved[at]![unit];
      if (more > 0) {
        reserved[at]![unit] += more;
        account.reserved[unit] += more;
        account.elsewhere?.touch();
      }
      const others = account.elsewhere?.others[unit] ?? 0;
      if (exceeds(account.reserved[unit] + others, account.limit[unit] - account.spent[unit])) within = false;
    }
  }
  return within;
}

/** Gives back what was reserved and charges what was used. Once for each reservation. */
export function settle({ accounts, reserved }: Reservation, used: Amounts): void {
  for (const [at, account] of accounts.entries()) {
    for (const unit of budgetUnits) account.reserved[unit] -= reserved[at]![unit];
    account.outstanding--;
    // Sums of fractions leave crumbs that would keep others waiting.
    if (account.outstanding === 0) for (const unit of budgetUnits) account.reserved[unit] = 0;
    charge(account, used);
  }
  for (const { waiting } of accounts) waiting.wake(wokenAtOnce);
}

/** Charges what was used without a reservation: in an earlier session. */
export function charge({ spent, elsewhere }: Account, used: Amounts): void {
  for (const unit of budgetUnits) spent[unit] += used[unit];
  elsewhere?.touch();
}
