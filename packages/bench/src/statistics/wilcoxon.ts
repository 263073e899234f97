import { normalTail } from "./distributions.ts";
import { ranksOf, tieTerm } from "./ranks.ts";

export interface Wilcoxon {
  /** The smaller of the two rank sums. */
  readonly statistic: number;
  /** Two-sided. */
  readonly p: number;
  /** Differences that are not 0. */
  readonly count: number;
}

/** Up to so many differences the distribution is counted. */
const MOST_EXACT = 50;

/**
 * Wilcoxon's signed-rank test (1945) of paired differences: whether they lie around 0. Differences of 0 are dropped. With up to 50 differences
 * the chance is counted over all signs of the ranks, equal ones included; otherwise it is normal, corrected for ties and not for continuity.
 * @returns a chance of 1 where nothing differs
 */
export function wilcoxonSignedRank(differences: readonly number[]): Wilcoxon {
  const own = differences.filter((each) => each !== 0);
  const n = own.length;
  if (n === 0) return { statistic: 0, p: 1, count: 0 };
  const ranks = ranksOf(own.map(Math.abs));
  let positive = 0;
  let negative = 0;
  own.forEach((each, at) => {
    if (each > 0) positive += ranks[at]!;
    else negative += ranks[at]!;
  });
  const statistic = Math.min(positive, negative);
  if (n <= MOST_EXACT) return { statistic, p: Math.min(1, 2 * shareAtMost(statistic, ranks)), count: n };
  const mean = (n * (n + 1)) / 4;
  const variance = (n * (n + 1) * (2 * n + 1)) / 24 - tieTerm(ranks) / 48;
  return { statistic, p: Math.min(1, 2 * normalTail((mean - statistic) / Math.sqrt(variance))), count: n };
}

/** The share of the 2^n signs of the ranks under which the positive ones sum to at most `sum`. Ranks are multiples of a half. O(n^3) */
function shareAtMost(sum: number, ranks: readonly number[]): number {
  const halves = ranks.map((rank) => 2 * rank);
  const most = halves.reduce((total, each) => total + each, 0);
  let share = new Float64Array(most + 1);
  share[0] = 1;
  for (const rank of halves) {
    const next = new Float64Array(most + 1);
    for (let at = 0; at <= most; at++) {
      next[at] = (share[at]! + (at >= rank ? share[at - rank]! : 0)) / 2;
    }
    share = next;
  }
  let below = 0;
  for (let at = 0; at <= 2 * sum; at++) below += share[at]!;
  return below;
}

/** Chances of several tests, each raised so that together they err no more often than one would (Holm 1979). */
export function holm(chances: readonly number[]): number[] {
  const order = chances.map((_, at) => at).sort((left, right) => chances[left]! - chances[right]!);
  const adjusted = new Array<number>(chances.length);
  let least = 0;
  order.forEach((at, place) => {
    least = Math.max(least, Math.min(1, (chances.length - place) * chances[at]!));
    adjusted[at] = least;
  });
  return adjusted;
}
