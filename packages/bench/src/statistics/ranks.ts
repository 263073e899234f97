/** Digits that sums of the same numbers in another order share: makespans that differ after them are equal. */
const DIGITS = 12;

/** Ranks from 1 for the least; equal values share the mean of theirs. O(n log n) */
export function ranksOf(values: readonly number[]): number[] {
  const rounded = values.map((value) => Number(value.toPrecision(DIGITS)));
  const order = rounded.map((_, at) => at).sort((left, right) => rounded[left]! - rounded[right]!);
  const ranks = new Array<number>(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from + 1;
    while (to < order.length && rounded[order[to]!] === rounded[order[from]!]) to++;
    for (let at = from; at < to; at++) ranks[order[at]!] = (from + 1 + to) / 2;
    from = to;
  }
  return ranks;
}

/** The sum of t^3 - t over groups of t equal ranks: what ties take from a variance. */
export function tieTerm(ranks: readonly number[]): number {
  const counts = new Map<number, number>();
  for (const rank of ranks) counts.set(rank, (counts.get(rank) ?? 0) + 1);
  let sum = 0;
  for (const count of counts.values()) sum += count ** 3 - count;
  return sum;
}
