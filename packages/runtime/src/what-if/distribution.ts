import { isRecord } from "@planloom/plan";
import { invalid } from "../invalid-option.ts";

/** How long one attempt takes, in milliseconds. */
export type Distribution =
  | { readonly type: "constant"; readonly ms: number }
  | { readonly type: "uniform"; readonly minMs: number; readonly maxMs: number }
  /** Half of all are below the median; `sigma` is the standard deviation of the logarithm (0.5: one in 20 takes 2.3 times it). */
  | { readonly type: "lognormal"; readonly medianMs: number; readonly sigma: number }
  /** Drawn from what was measured. */
  | { readonly type: "samples"; readonly ms: readonly number[] };

const fields = {
  constant: ["ms"],
  uniform: ["minMs", "maxMs"],
  lognormal: ["medianMs", "sigma"],
  samples: ["ms"],
} as const satisfies Record<Distribution["type"], readonly string[]>;

/** @throws RuntimeError INVALID_OPTION naming `option` */
export function checkDistribution(option: string, given: unknown): void {
  const type = isRecord(given) ? given.type : undefined;
  if (!isRecord(given) || typeof type !== "string" || !Object.hasOwn(fields, type))
    throw invalid(option, `a distribution of type ${Object.keys(fields).join(", ")}`, given);
  for (const field of fields[type as keyof typeof fields]) {
    const value = given[field];
    const numbers = type === "samples" ? value : [value];
    const whole = Array.isArray(numbers) && numbers.length > 0 && numbers.every((ms) => Number.isFinite(ms) && ms >= 0);
    if (!whole) throw invalid(`${option}.${field}`, expected[type === "samples" ? "list" : "number"], value);
  }
}

const expected = { number: "a number of at least 0", list: "a list of numbers of at least 0, not empty" } as const;

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
