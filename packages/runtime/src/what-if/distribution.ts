/** How long one attempt takes, in milliseconds. */
export type Distribution =
  | { readonly type: "constant"; readonly ms: number }
  | { readonly type: "uniform"; readonly minMs: number; readonly maxMs: number }
  /** Half of all are below the median; `sigma` is the standard deviation of the logarithm (0.5: one in 20 takes 2.3 times it). */
  | { readonly type: "lognormal"; readonly medianMs: number; readonly sigma: number }
  /** Drawn from what was measured. */
  | { readonly type: "samples"; readonly ms: readonly number[] };

/** @param random 0 up to 1. */
export function draw(distribution: Distribution, random: () => number): number {
  switch (distribution.type) {
    case "constant":
      return distribution.ms;
    case "uniform":
      return distribution.minMs + (distribution.maxMs - distribution.minMs) * random();
    case "lognormal":
      return distribution.medianMs * Math.exp(distribution.sigma * standardNormal(random));
    case "samples":
      return distribution.ms[Math.floor(random() * distribution.ms.length)] ?? 0;
    default:
      return distribution satisfies never;
  }
}

/** Box and Muller. */
function standardNormal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). Not for secrets. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
