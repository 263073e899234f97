import type { confidenceFeatures } from "./confidence.ts";

/** Learned by `test/bench/plans-train-confidence.ts` from half of public benchmarks. Not edited by hand. */
export const confidenceWeights: Readonly<Record<(typeof confidenceFeatures)[number], number>> = {
  bias: 0.14,
  calls: -0.03,
  tools: 0,
  "weakest call": 0.59,
  "narrowest choice": 1.22,
  missing: -0.8,
  "left out": -0.2,
  likelihood: 0.97,
  unlikely: -1.25,
  "words elsewhere": -1.39,
  "words nowhere": -1.99,
  added: -0.49,
  repeated: -0.92,
  linked: -0.37,
  alone: 0.2,
};
