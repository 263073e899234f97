import type { PlanView } from "@planloom/plan";

/** How far the real runtimes may be from the estimates. */
export interface Noise {
  /** Standard deviation of the runtime's logarithm; 0.3 is a good estimate, 1 is what estimates of model calls are like. */
  readonly sigma: number;
  /** The same seed gives the same runtimes for every grouping, so that all groupings have the same luck. @default 0 */
  readonly seed?: number;
}

/**
 * Runtimes around the estimates: log-normal with the estimate as their mean, one draw a task from a counter-based
 * generator (SplitMix-like hash, Box-Muller), so task v's runtime depends on the seed and v alone. O(n).
 */
export function noisyWork(view: PlanView, { sigma, seed = 0 }: Noise): Float64Array {
  const work = new Float64Array(view.n);
  const shift = (sigma * sigma) / 2;
  for (let v = 0; v < view.n; v++) work[v] = view.work[v]! * Math.exp(sigma * normal(seed, v) - shift);
  return work;
}

function normal(seed: number, v: number): number {
  const radius = Math.sqrt(-2 * Math.log(uniform(seed, 2 * v)));
  return radius * Math.cos(2 * Math.PI * uniform(seed, 2 * v + 1));
}

/** In (0, 1). */
function uniform(seed: number, counter: number): number {
  let hash = (Math.imul(seed | 0, 0x9e3779b1) + counter) | 0;
  for (let round = 0; round < 2; round++) {
    hash = Math.imul(hash ^ (hash >>> 16), 0x21f0aaad);
    hash = Math.imul(hash ^ (hash >>> 15), 0x735a2d97);
    hash ^= hash >>> 15;
  }
  return ((hash >>> 0) + 0.5) / 4_294_967_296;
}
