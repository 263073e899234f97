/*
 * Learned on 2026-11-22 by `pnpm train:confidence --data ../shared --write` from 117 plans over real servers and
 * 709 of public benchmarks (the half that is worked on). Data: sha256 3a982fdbfcd6effd. Not edited by hand.
 */

/** What a unit of evidence adds to the log-odds that the whole plan is right. */
export const rightWeights = {
  notes: -1.358,
  doubt: -0.223,
  bestSentence: -2.969,
  calls: -1.236,
  likelihood: 2.608,
  otherNotes: 1.66,
  valuesNowhere: -0.735,
  narrowestChoice: 0.71,
  bias: -0.308,
} as const;

/** Likewise, that some tool does what the goal asks for. */
export const servedWeights = {
  bestSentence: -3.167,
  narrowestChoice: 1.662,
  notes: -0.856,
  calls: 1.696,
  valuesNowhere: -0.979,
  bestVerbs: -0.497,
  doubt: -0.302,
  verbContradicts: -1.284,
  bias: 1.039,
} as const;
