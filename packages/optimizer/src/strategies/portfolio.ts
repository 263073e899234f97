import { candidates } from "../candidate.ts";
import type { RuleStrategy } from "../strategy.ts";
import { chainFusion } from "./chain-fusion.ts";
import { components } from "./components.ts";
import { exact } from "./exact.ts";
import { levelLpt } from "./level-lpt.ts";
import { perTask } from "./per-task.ts";
import { single } from "./single.ts";

/**
 * Simulates its members (those that are worth it for a plan of this size) and keeps the best: shortest makespan, then fewest dispatches, then name. No simple strategy
 * wins everywhere (PISA, arXiv 2403.07120), and this one is never worse than any of its members. As costly as the
 * members and their simulations together, O((n + m) log n).
 */
export const portfolio: RuleStrategy = {
  name: "portfolio",
  version: "1",
  description: "the best of several groupings, each simulated",
  deterministic: true,
  members: [
    // The two ends: one dispatch, and as many as there are tasks.
    single,
    perTask,
    // Nothing cut; wins on many small plans.
    components,
    // Fewer dispatches for the same parallelism.
    chainFusion,
    // Balanced rounds; wins on wide plans where dispatching is dear.
    levelLpt,
    // Best there is, with a proof, on plans of the size that models write.
    exact,
  ],
  propose(view, environment, options) {
    const sorted = candidates(this, view, environment, options);
    const proved = Math.max(0, ...sorted.map(({ partition }) => partition.provedMs ?? 0));
    return proved > 0 ? { ...sorted[0]!.partition, provedMs: proved } : sorted[0]!.partition;
  },
};
