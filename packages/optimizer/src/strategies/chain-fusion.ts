import type { RuleStrategy } from "../strategy.ts";

/**
 * Merges u -> v where v is u's only consumer and u is v's only dependency (Dask `fuse`, Pegasus vertical clustering).
 * Saves a dispatch a merge and lengthens no path, so it is never slower than `per-task` on unlimited executors. Needs no
 * estimates. O(n + m).
 */
export const chainFusion: RuleStrategy = {
  name: "chain-fusion",
  version: "1",
  description: "tasks that only wait for one another in a row are fused, everything else stays apart",
  regards: [],
  deterministic: true,
  propose({ n, topo, inOrder, inPtr, outPtr, in: dependencies }) {
    const part = new Int32Array(n);
    let count = 0;
    for (let at = 0; at < n; at++) {
      const v = inOrder ? at : topo[at]!;
      const first = inPtr[v]!;
      const only = inPtr[v + 1]! - first === 1 ? dependencies[first]! : -1;
      part[v] = only !== -1 && outPtr[only + 1]! - outPtr[only]! === 1 ? part[only]! : count++;
    }
    return { part, count };
  },
};
