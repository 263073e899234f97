import type { confidenceFeatures } from "./confidence.ts";

/** Learned by `test/bench/plans-train-confidence.ts` from half of public benchmarks. Not edited by hand. */
export const confidenceWeights: Readonly<Record<(typeof confidenceFeatures)[number], number>> = {
  bias: -0.26,
  calls: 0.08,
  tools: 0.21,
  "weakest call": 0.46,
  "narrowest choice": 1.1,
  missing: -0.8,
  "left out": -0.41,
  likelihood: 0.88,
  unlikely: -1.35,
  "words elsewhere": -1.45,
  "words nowhere": -1.22,
  added: -0.63,
  repeated: -0.73,
  linked: -0.65,
  alone: 0.2,
};
