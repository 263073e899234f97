import type { RuleStrategy } from "../strategy.ts";

/**
 * The whole plan as one subgraph: one dispatch, no parallelism. The coarse end of the scale and a published baseline.
 * O(n).
 */
export const single: RuleStrategy = {
  name: "single",
  version: "1",
  description: "the whole plan goes out as one subgraph",
  regards: [],
  deterministic: true,
  largest: 32_768,
  propose: (view) => ({ part: new Int32Array(view.n), count: Math.min(1, view.n) }),
};
