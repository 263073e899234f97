import { compareCandidates, evaluate } from "../candidate.ts";
import type { RuleStrategy } from "../strategy.ts";
import { chainFusion } from "./chain-fusion.ts";
import { components } from "./components.ts";
import { levelLpt } from "./level-lpt.ts";
import { perTask } from "./per-task.ts";
import { single } from "./single.ts";

/**
 * Simulates its members and keeps the best: shortest makespan, then fewest dispatches, then name. No simple strategy
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
  ],
  propose(view, environment, options) {
    const candidates = this.members!.map((member) => evaluate(member, view, environment, options));
    return candidates.sort(compareCandidates)[0]!.partition;
  },
};
