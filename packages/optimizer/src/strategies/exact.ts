import { simulatedAspects } from "../environment-aspects.ts";
import { isSolvable, solveExact } from "../exact/solve-exact.ts";
import type { Partition } from "../partition.ts";
import { makespan } from "../simulate.ts";
import type { RuleStrategy } from "../strategy.ts";
import { verify } from "../verify.ts";
import { bspRounds } from "./bsp-rounds.ts";
import { chainFusion } from "./chain-fusion.ts";
import { components } from "./components.ts";
import { gdca } from "./gdca.ts";
import { levelLpt } from "./level-lpt.ts";
import { perTask } from "./per-task.ts";
import { scheduleCutHeft } from "./schedule-cut.ts";
import { single } from "./single.ts";

/** What the search begins with, and what it asks where these are not provably best. */
const starters: readonly RuleStrategy[] = [single, perTask, components, chainFusion, levelLpt];
const further: readonly RuleStrategy[] = [bspRounds, gdca, scheduleCutHeft];

/**
 * Branch and bound with a proof: edge contraction on unlimited executors (`solveUnlimited`), A* over dispatched parts on
 * few (`solveLimited`). Proves its answer best on nearly every plan of up to 12 tasks within milliseconds; up to 20 tasks it
 * answers within a second with the gap that is left. What it has proved is in `provedMs`. Exponential; beyond 30
 * tasks, and where executors differ or outputs take time to travel, it answers with the best of the simple strategies. Under pipelined dispatch it proves nothing: there its answer is the best
 * for atomic dispatch, which ends no later where subgraphs need not wait for the whole of others, or a simple strategy's.
 */
export const exact: RuleStrategy = {
  name: "exact",
  version: "2",
  description: "no grouping ends earlier, as far as the search could prove",
  regards: [...simulatedAspects, "limits"],
  deterministic: true,
  largest: 20,
  propose(view, environment, options) {
    // What follows the search takes a moment as well.
    const until = Date.now() + 0.95 * options.deadlineMs;
    const proposals = (asked: readonly RuleStrategy[]) =>
      asked
        .map((strategy) => strategy.propose(view, environment, options))
        .filter((partition) => verify(view, environment, partition).length === 0);
    const start = proposals(starters);
    if (start.length === 0 || view.n === 0) return perTask.propose(view, environment, options);
    if (environment.semantics === "pipelined") {
      const { provedMs: _, ...atomic } = this.propose(view, { ...environment, semantics: "atomic" }, options);
      return shortest([...start, atomic], (each) => makespan(view, environment, each));
    }
    if (!isSolvable(view, environment)) return shortest(start, (each) => makespan(view, environment, each));
    // Where there is a deadline, that is the limit; where there is none, the answer must not depend on the machine.
    const states = Number.isFinite(options.deadlineMs) ? 400_000 : 60_000;
    const budget =
      options.evaluations === undefined
        ? view.n <= 12
          ? 200_000
          : states
        : Math.ceil(options.evaluations / Math.max(1, view.n));
    const { partition, boundMs } = solveExact(view, environment, start, {
      nodes: budget,
      until,
      steps: view.n <= 12 ? 2000 : 10_000,
      more: () => proposals(further),
    });
    return { ...partition, provedMs: boundMs };
  },
};

function shortest(partitions: readonly Partition[], cost: (partition: Partition) => number): Partition {
  return partitions.reduce((best, each) => (cost(each) < cost(best) ? each : best));
}
