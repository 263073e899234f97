import type { confidenceFeatures } from "./confidence.ts";

/** Learned by `test/bench/plans-train-confidence.ts` from half of public benchmarks. Not edited by hand. */
export const confidenceWeights: Readonly<Record<(typeof confidenceFeatures)[number], number>> = {
  bias: -0.13,
  calls: 0.1,
  tools: 0.08,
  "weakest call": 0.41,
  "narrowest choice": 1.36,
  missing: -1.91,
  "left out": -0.29,
  likelihood: 0.82,
  unlikely: -0.78,
  "words elsewhere": -1.42,
  "words nowhere": -1.65,
  added: -0.61,
  repeated: -0.89,
  linked: -0.37,
  alone: 0.29,
};
