/*
 * Learned on 2026-11-23 by `pnpm train:confidence --data ../shared --more FOLDER --more FOLDER --only right --write` from 225 plans over real servers and
 * 709 of public benchmarks (the half that is worked on). Data: sha256 31c13dc42d75c98f.
 * `servedWeights` were taken over from the file of 2026-11-22: learned again they refused more right plans of benchmarks.
 */

/** What a unit of evidence adds to the log-odds that the whole plan is right. */
export const rightWeights = {
  bestSentence: -1.31,
  doubt: -0.304,
  notes: -1.117,
  calls: -0.962,
  narrowestChoice: 0.777,
  likelihood: 1.768,
  valuesNowhere: -0.889,
  wordsElsewhere: -6.381,
  wordsNowhere: -2.861,
  bias: 0.478,
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
