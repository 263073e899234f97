/** Geometric mean; 1 of nothing. */
export function geometricMean(values: readonly number[]): number {
  if (values.length === 0) return 1;
  let sum = 0;
  for (const value of values) sum += Math.log(value);
  return Math.exp(sum / values.length);
}

/** The `share`-quantile by the nearest rank; `NaN` of nothing. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Values by key, in order of first appearance. */
export function groupBy<Value>(values: readonly Value[], key: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const group = groups.get(key(value));
    if (group === undefined) groups.set(key(value), [value]);
    else group.push(value);
  }
  return groups;
}
