/*
 * Learned on 2026-11-22 by `pnpm train:confidence --data ../shared --write` from 114 plans over real servers and
 * 709 of public benchmarks (the half that is worked on). Data: sha256 3a982fdbfcd6effd. Not edited by hand.
 */

/** What a unit of evidence adds to the log-odds that the whole plan is right. */
export const rightWeights = {
  notes: -1.489,
  doubt: -0.823,
  bestSentence: -3.284,
  unlikely: 1.456,
  tools: -0.458,
  narrowestChoice: 0.653,
  bias: 1.607,
} as const;

/** Likewise, that some tool does what the goal asks for. */
export const servedWeights = {
  bestSentence: -3.135,
  narrowestChoice: 1.587,
  valuesNowhere: -1.008,
  calls: 1.42,
  verbContradicts: -1.275,
  doubt: -0.19,
  verbsNowhere: -0.446,
  nameUnsaid: -0.632,
  bias: 1.175,
} as const;
