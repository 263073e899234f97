import { type Amounts, type Budget, budgetUnits, nothing } from "../../ports/amounts.ts";
import { type Account, openAccount, type Reservation, settle } from "../budget-accounts.ts";
import { type AccountAsk, type AccountState, type AccountUpdate, accountPrefix } from "./account-rows.ts";

/** One account that several processes charge, as this process knows it. */
interface AccountShare {
  readonly key: string;
  readonly account: Account;
  readonly windowMs: number | undefined;
  /** What all processes had spent at the last exchange; the other processes do not know yet what `account` has beyond that. */
  readonly base: Amounts;
  /** What was reserved for this process at its last exchange. */
  reported: Amounts;
  touched: boolean;
}

interface Ask {
  readonly reservation: Reservation;
  readonly done: (allowed: boolean | Error) => void;
}

/**
 * Budgets that processes share, as this one knows them: what others have spent and reserved as of the last exchange, and its own. A
 * reservation made here holds once the others were asked (`confirm`).
 */
export class BudgetShare {
  readonly #shares = new Map<string, AccountShare>();
  readonly #byAccount = new Map<Account, AccountShare>();
  readonly #onTouch: () => void;
  #asks: Ask[] = [];
  #asked: Ask[] = [];
  /** What the present exchange reports, or a failed one reported: the amounts spent since, and those reserved. */
  #reported = new Map<AccountShare, { readonly unsent: Amounts; readonly reserved: Amounts }>();

  /** @param onTouch called when an exchange is needed */
  constructor(onTouch: () => void) {
    this.#onTouch = onTouch;
  }

  /** @param scope id of the scope that has the budget, the same in all processes */
  open(
    scope: string,
    id: string,
    name: string,
    budget: Budget,
    windowMs: number | undefined,
    now: () => number,
  ): Account {
    const key = `${accountPrefix}${scope}:${id}`;
    const elsewhere = {
      others: nothing(),
      base: nothing(),
      touch: () => {
        share.touched = true;
        this.#onTouch();
      },
    };
    const account: Account = { ...openAccount(name, budget, windowMs, now), elsewhere };
    const share: AccountShare = {
      key,
      account,
      windowMs: windowMs === Number.POSITIVE_INFINITY ? undefined : windowMs,
      base: elsewhere.base,
      reported: nothing(),
      touched: false,
    };
    this.#shares.set(key, share);
    this.#byAccount.set(account, share);
    return account;
  }

  /** Called when a tenant has gone and nothing more has to be reported of it. */
  close(account: Account): void {
    const share = this.#byAccount.get(account);
    this.#byAccount.delete(account);
    if (share !== undefined) this.#shares.delete(share.key);
  }

  /** True where nothing is reserved and nothing has to be reported. */
  get isIdle(): boolean {
    if (this.#asks.length + this.#asked.length > 0) return false;
    for (const { account, touched } of this.#shares.values())
      if (touched || account.outstanding > 0 || account.waiting.size > 0) return false;
    return true;
  }

  /** True where calls wait until others have settled. */
  get waits(): boolean {
    for (const { account } of this.#shares.values()) if (account.waiting.size > 0) return true;
    return false;
  }

  /** Keys of budgets that something is, or is about to be, reserved of. */
  get reservedKeys(): string[] {
    return [...this.#shares.values()].filter(({ account }) => account.outstanding > 0).map(({ key }) => key);
  }

  /** Asks the others whether a reservation holds; it is given back where it does not. */
  confirm(reservation: Reservation, done: (allowed: boolean | Error) => void): void {
    this.#asks.push({ reservation, done });
    this.#onTouch();
  }

  /** The report and the request of the next exchange. @param forgotten what this process had reserved was counted as spent */
  request(forgotten: boolean): { readonly updates: AccountUpdate[]; readonly asks: AccountAsk[] } {
    this.#asked = [...this.#asks];
    const asks = this.#asked.map(({ reservation }) => ({ parts: this.#partsOf(reservation) }));
    const pending = new Map<string, Amounts>();
    for (const { parts } of asks) {
      for (const { key, amounts } of parts) {
        const all = pending.get(key) ?? nothing();
        for (const unit of budgetUnits) all[unit] += amounts[unit];
        pending.set(key, all);
      }
    }
    const updates: AccountUpdate[] = [];
    for (const share of this.#shares.values()) {
      const { key, account, windowMs, base, reported } = share;
      const waits = account.waiting.size > 0;
      const isReported = share.touched || waits || pending.has(key) || this.#reported.has(share);
      if (!isReported && !(forgotten && account.outstanding > 0)) continue;
      share.touched = false;
      const asked = pending.get(key) ?? nothing();
      const [unsent, spent, reserved] = [nothing(), nothing(), nothing()];
      for (const unit of budgetUnits) {
        unsent[unit] = account.spent[unit] - base[unit];
        spent[unit] = unsent[unit] - (forgotten ? reported[unit] : 0);
        reserved[unit] = Math.max(0, account.reserved[unit] - asked[unit]);
      }
      this.#reported.set(share, { unsent, reserved });
      updates.push({ key, ...(windowMs !== undefined && { windowMs }), spent, reserved, waits });
    }
    return { updates, asks };
  }

  /** What came of it. */
  answer({
    states,
    allowed,
  }: {
    readonly states: ReadonlyMap<string, AccountState>;
    readonly allowed: readonly boolean[];
  }): void {
    const changed: Account[] = [];
    for (const [share, sent] of this.#reported) {
      const state = states.get(share.key);
      if (state === undefined) continue;
      const { account, base } = share;
      const { others } = account.elsewhere!;
      let isChanged = false;
      for (const unit of budgetUnits) {
        const known = base[unit] + sent.unsent[unit];
        const since = account.spent[unit] - known;
        isChanged ||= others[unit] !== state.reserved[unit] || known !== state.spent[unit];
        account.spent[unit] = state.spent[unit] + since;
        base[unit] = state.spent[unit];
        others[unit] = state.reserved[unit];
      }
      if (share.touched) this.#onTouch();
      share.reported = sent.reserved;
      if (account.window !== undefined && state.endsAt !== undefined) account.window.endsAt = state.endsAt;
      if (isChanged) changed.push(account);
    }
    this.#reported = new Map();
    const asked = this.#asked;
    this.#asked = [];
    this.#asks = this.#asks.filter((ask) => !asked.includes(ask));
    for (const [at, { reservation, done }] of asked.entries()) {
      if (allowed[at] === true) {
        for (const { key, amounts } of this.#partsOf(reservation)) {
          const { reported } = this.#shares.get(key)!;
          for (const unit of budgetUnits) reported[unit] += amounts[unit];
        }
        done(true);
      } else {
        settle(reservation, nothing());
        done(false);
      }
    }
    for (const { waiting } of changed) waiting.wake(wokenAtOnce);
  }

  /** The others cannot be asked. */
  fail(error: Error): void {
    const asks = this.#asks;
    this.#asks = [];
    this.#asked = [];
    for (const { reservation, done } of asks) {
      settle(reservation, nothing());
      done(error);
    }
  }

  #partsOf({ accounts, reserved }: Reservation): AccountAsk["parts"] {
    return accounts.flatMap((account, at) => {
      const share = this.#byAccount.get(account);
      return share === undefined ? [] : [{ key: share.key, limit: account.limit, amounts: reserved[at]! }];
    });
  }
}

/** How many of those who wait may ask again after each change. */
const wokenAtOnce = 8;
