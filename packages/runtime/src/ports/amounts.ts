/** What may be spent. What is left out is not limited. */
export interface Budget {
  /** Calls of an executor, failed ones too. */
  readonly calls?: number;
  /** Model tokens, in and out. */
  readonly tokens?: number;
  /** Money, in the unit of estimates and prices. */
  readonly cost?: number;
  /** Time in executors, all tasks added up; not the time on the clock. */
  readonly seconds?: number;
}

export const budgetUnits = ["calls", "tokens", "cost", "seconds"] as const;
export type BudgetUnit = (typeof budgetUnits)[number];
export type Amounts = Record<BudgetUnit, number>;

/** What is left of a budget, in one unit. */
export interface BudgetLeft {
  /** Of one resource; absent where it is of all. */
  readonly resource?: string;
  readonly unit: BudgetUnit;
  readonly limit: number;
  readonly left: number;
}

export const nothing = (): Amounts => ({ calls: 0, tokens: 0, cost: 0, seconds: 0 });

/** More than rounding can explain. */
export function exceeds(amount: number, available: number): boolean {
  return amount > available + 1e-9 * Math.max(1, Math.abs(available));
}
