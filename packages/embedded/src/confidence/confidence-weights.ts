/*
 * Learned on 2026-11-22 by `pnpm train:confidence --data ../shared --write` from 114 plans over real servers and
 * 709 of public benchmarks (the half that is worked on). Data: sha256 3a982fdbfcd6effd. Not edited by hand.
 */

/** What a unit of evidence adds to the log-odds that the whole plan is right. */
export const rightWeights = {
  notes: -1.523,
  doubt: -0.428,
  bestSentence: -3.191,
  narrowestChoice: 0.842,
  calls: -0.844,
  likelihood: 1.756,
  bias: 0.007,
} as const;

/** Likewise, that some tool does what the goal asks for. */
export const servedWeights = {
  bestSentence: -3.511,
  narrowestChoice: 1.718,
  notes: -0.759,
  calls: 1.395,
  valuesNowhere: -0.822,
  doubt: -0.241,
  verbContradicts: -1.234,
  bias: 0.825,
} as const;
