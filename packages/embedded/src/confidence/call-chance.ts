import type { Chosen } from "../draft/chosen.ts";

/**
 * What a unit of score, and of the distance to the next best resource, adds to the log-odds that a call's resource is right. Learned on 2026-11-23 from 2,210
 * calls of public benchmarks (the half that is worked on; each set weighs the same); on the other half what it says of 2,232 calls is
 * right within 3 points in each band that has 50 calls or more.
 */
const weights = { score: 1.48, distance: 0.26, bias: -0.01 } as const;
/** Higher scores and distances, and lower ones, say no more. */
const [least, most] = [-1, 3];

/** How likely the resource of a call is right, 0 to 1, two decimals: by its score, and how far the next best one is behind. */
export function callChance({ score, alternatives }: Pick<Chosen, "score" | "alternatives">): number {
  const next = Math.max(-most, ...alternatives.map((each) => each.score));
  const odds = weights.bias + weights.score * bounded(score) + weights.distance * bounded(score - next);
  return Math.round(100 / (1 + Math.exp(-odds))) / 100;
}

const bounded = (value: number) => Math.max(least, Math.min(most, value));
