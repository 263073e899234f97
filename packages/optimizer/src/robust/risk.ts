import type { Risk } from "./uncertainty.ts";

/** The mean of makespans, their quantile, or the mean of the worst of them. @param values at least one; sorted in place, but for the mean. */
export function riskOf(values: Float64Array, risk: Risk): number {
  if (risk === "mean") return mean(values);
  values.sort();
  if ("quantile" in risk) return values[Math.min(values.length - 1, Math.floor(values.length * risk.quantile))]!;
  return mean(values.subarray(Math.min(values.length - 1, Math.floor(values.length * risk.cvar))));
}

function mean(values: Float64Array): number {
  let sum = 0;
  for (const each of values) sum += each;
  return sum / values.length;
}
