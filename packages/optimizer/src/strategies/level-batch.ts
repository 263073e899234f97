import { taskLevels } from "@planloom/plan";
import { canonicalOrder } from "../canonical-order.ts";
import { fromLabels } from "../partition.ts";
import type { RuleStrategy } from "../strategy.ts";

/**
 * Cuts the plan into topological levels and deals the tasks of each out in turn to at most as many subgraphs as there are
 * executors (Pegasus horizontal clustering by number). Needs no estimates. O(n + m).
 */
export const levelBatch: RuleStrategy = {
  name: "level-batch",
  version: "1",
  description: "tasks at the same depth are dealt out in equal numbers, whatever they are expected to take",
  regards: ["executors"],
  deterministic: true,
  largest: 32_768,
  propose(view, environment) {
    const level = taskLevels(view);
    let levels = 0;
    for (const each of level) levels = Math.max(levels, each + 1);
    const width = new Int32Array(levels);
    for (const each of level) width[each]!++;
    const first = new Int32Array(levels + 1);
    for (let each = 0; each < levels; each++) {
      first[each + 1] = first[each]! + Math.min(width[each]!, environment.executors);
    }
    const tie = canonicalOrder(view);
    const sequence = new Int32Array(view.n);
    for (let v = 0; v < view.n; v++) sequence[tie[v]!] = v;
    const dealt = new Int32Array(levels);
    const label = new Int32Array(view.n);
    for (const v of sequence) {
      const own = level[v]!;
      label[v] = first[own]! + (dealt[own]!++ % (first[own + 1]! - first[own]!));
    }
    return fromLabels(label);
  },
};
