import type { confidenceFeatures } from "./confidence.ts";

/** Learned by `test/bench/plans-train-confidence.ts` from half of public benchmarks. Not edited by hand. */
export const confidenceWeights: Readonly<Record<(typeof confidenceFeatures)[number], number>> = {
  bias: 0.08,
  calls: -0.36,
  tools: 0,
  "weakest call": 0.65,
  "narrowest choice": 1.27,
  missing: -1,
  "left out": -0.15,
  likelihood: 1.11,
  unlikely: -1.54,
  "words elsewhere": -1.33,
  "words nowhere": -2.06,
  added: -0.25,
  repeated: -0.78,
  linked: -0.12,
  alone: 0.36,
};
