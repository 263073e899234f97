import type { confidenceFeatures } from "./confidence.ts";

/** Learned by `test/bench/plans-train-confidence.ts` from half of public benchmarks. Not edited by hand. */
export const confidenceWeights: Readonly<Record<(typeof confidenceFeatures)[number], number>> = {
  bias: 0.09,
  calls: 0.08,
  tools: 0,
  "weakest call": 0.57,
  "narrowest choice": 1.21,
  missing: -0.73,
  "left out": -0.15,
  likelihood: 0.89,
  unlikely: -1.31,
  "words elsewhere": -1.43,
  "words nowhere": -1.82,
  added: -0.62,
  repeated: -0.97,
  linked: -0.46,
  alone: 0.17,
};
