import type { Observer } from "../../journal/process-identity.ts";
import { type Amounts, budgetUnits, exceeds, nothing } from "../../ports/amounts.ts";
import type { LimitRows } from "../../ports/limit-store.ts";

/** One budget of several processes. */
export interface AccountRow {
  spent: Amounts;
  /** By member. */
  readonly reserved: Record<string, Amounts>;
  /** Members with calls that wait until something is settled. */
  waiting: string[];
  /** End of its window by the clock of the boot. */
  ends_at?: number;
  boot?: string;
}

/** What one process has done with a budget since its last exchange. */
export interface AccountUpdate {
  readonly key: string;
  /** How long spending is remembered; absent: for ever. */
  readonly windowMs?: number;
  /** Charged since; below 0 where more was counted for the process while it was taken for dead. */
  readonly spent: Amounts;
  /** All that its calls have reserved now. */
  readonly reserved: Amounts;
  readonly waits: boolean;
}

/** A call that is made if all of its budgets have room for it. */
export interface AccountAsk {
  readonly parts: readonly { readonly key: string; readonly limit: Amounts; readonly amounts: Amounts }[];
}

/** A budget as all processes together have it. */
export interface AccountState {
  readonly spent: Amounts;
  /** By other processes. */
  readonly reserved: Amounts;
  readonly endsAt: number | undefined;
}

export const accountPrefix = "account:";

/**
 * Records what a process has spent and reserved, then reserves for the calls that it asks for: for each in all of its budgets, or in none.
 * @returns the budgets, which of the calls may be made, and whether others wait for what was given back
 */
export function updateAccounts(
  rows: LimitRows,
  member: string,
  updates: readonly AccountUpdate[],
  asks: readonly AccountAsk[],
  here: Observer,
): {
  readonly states: ReadonlyMap<string, AccountState>;
  readonly allowed: readonly boolean[];
  readonly notify: boolean;
} {
  const accounts = new Map<string, AccountRow>();
  let notify = false;
  for (const { key, windowMs, spent, reserved, waits } of updates) {
    const account = readAccount(rows, key);
    accounts.set(key, account);
    beginWindow(account, windowMs, here);
    for (const unit of budgetUnits) account.spent[unit] += spent[unit];
    const before = account.reserved[member] ?? nothing();
    if (budgetUnits.some((unit) => reserved[unit] > 0)) account.reserved[member] = { ...reserved };
    else delete account.reserved[member];
    const others = account.waiting.filter((name) => name !== member);
    if (others.length > 0 && budgetUnits.some((unit) => reserved[unit] < before[unit])) notify = true;
    account.waiting = waits ? [...others, member] : others;
  }
  const allowed = asks.map(({ parts }) => {
    const fits = parts.every(({ key, limit, amounts }) => {
      const { spent, reserved } = accounts.get(key)!;
      return budgetUnits.every(
        (unit) =>
          limit[unit] === Number.POSITIVE_INFINITY ||
          amounts[unit] === 0 ||
          !exceeds(amounts[unit], limit[unit] - spent[unit] - sum(reserved, unit)),
      );
    });
    if (!fits) return false;
    for (const { key, amounts } of parts) {
      const { reserved } = accounts.get(key)!;
      const own = reserved[member] ?? nothing();
      for (const unit of budgetUnits) own[unit] += amounts[unit];
      reserved[member] = own;
    }
    return true;
  });
  const states = new Map<string, AccountState>();
  for (const [key, account] of accounts) {
    rows.set(key, JSON.stringify(account));
    const others = nothing();
    for (const [name, amounts] of Object.entries(account.reserved))
      if (name !== member) for (const unit of budgetUnits) others[unit] += amounts[unit];
    states.set(key, { spent: account.spent, reserved: others, endsAt: account.ends_at });
  }
  return { states, allowed, notify };
}

/** What a process that is gone had reserved counts as spent, since it is unknown how much of it its calls have used. */
export function spendReserved(rows: LimitRows, member: string, keys: readonly string[]): void {
  for (const key of keys) {
    const account = readAccount(rows, key);
    const lost = account.reserved[member];
    account.waiting = account.waiting.filter((name) => name !== member);
    if (lost !== undefined) for (const unit of budgetUnits) account.spent[unit] += lost[unit];
    delete account.reserved[member];
    rows.set(key, JSON.stringify(account));
  }
}

function readAccount(rows: LimitRows, key: string): AccountRow {
  const text = rows.get(key);
  return text === undefined ? { spent: nothing(), reserved: {}, waiting: [] } : (JSON.parse(text) as AccountRow);
}

/** Windows follow one another; one of an earlier start of the machine begins again, since it is unknown how much of it is over. */
function beginWindow(account: AccountRow, windowMs: number | undefined, here: Observer): void {
  if (windowMs === undefined) {
    delete account.ends_at;
    return;
  }
  const now = here.monotonicMs();
  const { boot } = here.process;
  if (account.ends_at !== undefined && account.boot !== boot) account.ends_at = now + windowMs;
  if (boot !== undefined) account.boot = boot;
  if (account.ends_at !== undefined && now < account.ends_at) {
    account.ends_at = Math.min(account.ends_at, now + windowMs);
    return;
  }
  account.ends_at = now + windowMs;
  account.spent = nothing();
}

function sum(reserved: Readonly<Record<string, Amounts>>, unit: keyof Amounts): number {
  let total = 0;
  for (const amounts of Object.values(reserved)) total += amounts[unit];
  return total;
}
