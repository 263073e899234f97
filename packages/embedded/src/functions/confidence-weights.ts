import type { confidenceFeatures } from "./confidence.ts";

/** Learned by `test/bench/plans-train-confidence.ts` from half of public benchmarks. Not edited by hand. */
export const confidenceWeights: Readonly<Record<(typeof confidenceFeatures)[number], number>> = {
  bias: -0.05,
  calls: 0.17,
  tools: 0,
  "weakest call": 0.48,
  "narrowest choice": 1.16,
  missing: -1.31,
  "left out": -0.18,
  likelihood: 1.17,
  unlikely: -0.75,
  "words elsewhere": -1.29,
  "words nowhere": -1.92,
  added: -0.7,
  repeated: -0.96,
  linked: -0.65,
  alone: 0.06,
};
