import type { confidenceFeatures } from "./confidence-features.ts";

/** Learned by `test/bench/plans-train-confidence.ts` from half of public benchmarks. Not edited by hand. */
export const confidenceWeights: Readonly<Record<(typeof confidenceFeatures)[number], number>> = {
  bias: -0.23,
  calls: 0.12,
  tools: 0.17,
  "weakest call": 0.5,
  "narrowest choice": 1.26,
  missing: -0.88,
  "left out": -0.41,
  likelihood: 0.79,
  unlikely: -1.41,
  "words elsewhere": -1.51,
  "words nowhere": -1.33,
  added: -0.6,
  repeated: -0.92,
  linked: -0.53,
  alone: 0.21,
};
