import { studentQuantile } from "./distributions.ts";

/** The mean of a sample, and how far from it the true mean is at most, with 95 % confidence (Student's t). */
export interface Interval {
  readonly mean: number;
  /** Infinite of fewer than two values. */
  readonly halfWidth: number;
}

export function meanInterval(values: readonly number[]): Interval {
  const n = values.length;
  let sum = 0;
  for (const value of values) sum += value;
  const mean = sum / n;
  if (n < 2) return { mean, halfWidth: Number.POSITIVE_INFINITY };
  let squares = 0;
  for (const value of values) squares += (value - mean) ** 2;
  return { mean, halfWidth: studentQuantile(0.975, n - 1) * Math.sqrt(squares / (n - 1) / n) };
}

/** A geometric mean of positive values, and between which it lies with 95 % confidence: the interval of the logarithms. */
export function geometricInterval(values: readonly number[]): { mean: number; low: number; high: number } {
  const { mean, halfWidth } = meanInterval(values.map(Math.log));
  return { mean: Math.exp(mean), low: Math.exp(mean - halfWidth), high: Math.exp(mean + halfWidth) };
}
