import type { RuleStrategy } from "../strategy.ts";

/**
 * Every task is a subgraph of its own, as LLMCompiler (Kim et al., ICML 2024) dispatches. All the parallelism there is,
 * and every dispatch paid for. The fine end of the scale and a published baseline. O(n).
 */
export const perTask: RuleStrategy = {
  name: "per-task",
  version: "1",
  description: "every task is dispatched on its own",
  regards: [],
  deterministic: true,
  largest: 32_768,
  propose: (view) => ({ part: Int32Array.from({ length: view.n }, (_, v) => v), count: view.n }),
};
