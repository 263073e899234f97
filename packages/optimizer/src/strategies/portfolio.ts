import { candidates } from "../candidate.ts";
import { simulatedAspects } from "../environment-aspects.ts";
import { refine } from "../search/refine.ts";
import type { RuleStrategy } from "../strategy.ts";
import { bspRounds } from "./bsp-rounds.ts";
import { chainFusion } from "./chain-fusion.ts";
import { components } from "./components.ts";
import { edgeZeroing } from "./edge-zeroing.ts";
import { exact } from "./exact.ts";
import { gdca } from "./gdca.ts";
import { levelLpt } from "./level-lpt.ts";
import { perTask } from "./per-task.ts";
import { scheduleCutCpop, scheduleCutDls, scheduleCutEtf, scheduleCutHeft, scheduleCutPeft } from "./schedule-cut.ts";
import { single } from "./single.ts";

/**
 * Simulates its members (those that are worth it for a plan of this size) and keeps the best: shortest makespan, then fewest dispatches, then the first. No simple strategy
 * wins everywhere (PISA, arXiv 2403.07120), and this one is never worse than any of its members. On up to 2,500 tasks the best is then
 * improved by a search of fixed length (`refine`). Beyond that as costly as the members and their simulations together, O((n + m) log n).
 */
export const portfolio: RuleStrategy = {
  name: "portfolio",
  version: "4",
  description: "the best of several groupings, each simulated",
  regards: [...simulatedAspects, "limits"],
  deterministic: true,
  members: [
    // Of equal groupings the one that is easiest to explain comes first. Fewer dispatches for the same parallelism:
    chainFusion,
    // Nothing cut; wins on many small plans.
    components,
    // Balanced rounds; wins on wide plans where dispatching is dear.
    levelLpt,
    // The two ends: as many dispatches as there are tasks, and one.
    perTask,
    single,
    // Merges what costs nothing to merge; wins where dispatching is cheap.
    edgeZeroing,
    // Clusters along the front; wins on long plans where dispatching is very dear.
    gdca,
    // Few rounds, each executor filled with tasks that do not need each other; wins where dispatching is dear.
    bspRounds,
    // Schedules of the field, cut into dispatches. On most plans one of them is the best of all; none dominates another.
    scheduleCutHeft,
    scheduleCutEtf,
    scheduleCutDls,
    scheduleCutPeft,
    scheduleCutCpop,
    // Best there is, with a proof, on plans of the size that models write.
    exact,
  ],
  refine,
  propose(view, environment, options) {
    const sorted = candidates(this, view, environment, options);
    const proved = Math.max(0, ...sorted.map(({ partition }) => partition.provedMs ?? 0));
    return proved > 0 ? { ...sorted[0]!.partition, provedMs: proved } : sorted[0]!.partition;
  },
};
