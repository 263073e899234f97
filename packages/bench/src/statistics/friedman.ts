import { chiSquaredTail, fTail, rangeQuantile, rangeTail } from "./distributions.ts";
import { ranksOf, tieTerm } from "./ranks.ts";

export interface Friedman {
  /** Mean rank of each column, 1 for the least values. */
  readonly ranks: readonly number[];
  /** Chi-squared, corrected for ties, and the chance of as much where the columns do not differ. */
  readonly statistic: number;
  readonly p: number;
  /** The same by Iman and Davenport (1980), which errs less often on the safe side. */
  readonly f: number;
  readonly fP: number;
  /** How far apart mean ranks must be for two columns to differ at that level (Nemenyi 1963). */
  readonly criticalDifference: number;
  /** What differences of mean ranks are measured in: the standard error of one. */
  readonly spread: number;
}

/**
 * Friedman's test (1937) over rows of paired values, one column a strategy, with Nemenyi's comparison of all pairs after it (Demsar 2006).
 * @param rows at least two, of at least two values each
 * @param alpha of the critical difference. @default 0.05
 */
export function friedman(rows: readonly (readonly number[])[], alpha = 0.05): Friedman {
  const n = rows.length;
  const k = rows[0]?.length ?? 0;
  const sums = new Array<number>(k).fill(0);
  let ties = 0;
  for (const row of rows) {
    const ranks = ranksOf(row);
    ranks.forEach((rank, column) => {
      sums[column]! += rank;
    });
    ties += tieTerm(ranks);
  }
  const squares = sums.reduce((sum, each) => sum + each * each, 0);
  const correction = 1 - ties / (k * (k * k - 1) * n);
  // Where all values of each row are equal there is nothing to differ.
  const statistic = correction === 0 ? 0 : ((12 / (k * n * (k + 1))) * squares - 3 * n * (k + 1)) / correction;
  const rest = n * (k - 1) - statistic;
  const f = rest <= 0 ? Number.POSITIVE_INFINITY : ((n - 1) * statistic) / rest;
  const ranks = sums.map((sum) => sum / n);
  const spread = Math.sqrt((k * (k + 1)) / (6 * n));
  return {
    ranks,
    statistic,
    p: chiSquaredTail(statistic, k - 1),
    f,
    fP: fTail(f, k - 1, (k - 1) * (n - 1)),
    criticalDifference: (rangeQuantile(alpha, k) / Math.SQRT2) * spread,
    spread,
  };
}

/** Chance of as large a difference between the mean ranks of two columns by accident, all pairs looked at (Nemenyi 1963). */
export function nemenyi({ ranks, spread }: Friedman, left: number, right: number): number {
  return rangeTail((Math.abs(ranks[left]! - ranks[right]!) / spread) * Math.SQRT2, ranks.length);
}

/**
 * The longest runs of columns, in order of mean rank, of which no two differ by more than the critical difference: the bars of a critical-difference
 * diagram. Runs of one are left out. @returns columns by number, best first
 */
export function indistinguishable({ ranks, criticalDifference }: Friedman): number[][] {
  const order = ranks.map((_, at) => at).sort((left, right) => ranks[left]! - ranks[right]!);
  const groups: number[][] = [];
  let reached = 0;
  order.forEach((first, from) => {
    let to = from;
    while (to + 1 < order.length && ranks[order[to + 1]!]! - ranks[first]! <= criticalDifference) to++;
    if (to > from && to > reached) groups.push(order.slice(from, to + 1));
    reached = Math.max(reached, to);
  });
  return groups;
}
