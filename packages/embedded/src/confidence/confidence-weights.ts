/*
 * Learned on 2026-11-23 by `pnpm train:confidence --data ../shared --more FOLDER --more FOLDER --more FOLDER --only right --write` from 254 plans over real servers and
 * 709 of public benchmarks (the half that is worked on). Data: sha256 d90074e3af31b3f3.
 * `servedWeights` were taken over from the file of 2026-11-22: learned again they refused more right plans of benchmarks.
 */

/** What a unit of evidence adds to the log-odds that the whole plan is right. */
export const rightWeights = {
  bestSentence: -1.918,
  doubt: -0.434,
  notes: -1.178,
  calls: -0.841,
  narrowestChoice: 1.032,
  likelihood: 0.672,
  valuesNowhere: -0.99,
  wordsElsewhere: -3.634,
  wordsNowhere: -2.295,
  bias: 1.061,
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
