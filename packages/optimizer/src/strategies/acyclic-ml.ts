import type { PlanView } from "@planloom/plan";
import { keepBest } from "../clustering/keep-best.ts";
import type { ExecutionEnvironment } from "../environment.ts";
import { simulatedAspects } from "../environment-aspects.ts";
import { acyclicPartition } from "../multilevel/acyclic-partition.ts";
import type { Partition } from "../partition.ts";
import type { RuleStrategy } from "../strategy.ts";

/** Parts tried at most, so that the search stays linear in the plan. */
const MOST_PARTS = 128;

/**
 * Balanced parts with little traffic between them (`acyclicPartition`), as many as there are executors and twice, four and
 * eight times as many; the simulator chooses. After dagP (Herrmann et al., SISC 2019) and acyclic parts as units of list
 * scheduling (Ozkaya et al., IPDPS 2019). O((n + m) parts log n).
 */
export const acyclicMl: RuleStrategy = {
  name: "acyclic-ml",
  version: "4",
  description: "balanced subgraphs with as little as possible passed between them",
  regards: simulatedAspects,
  deterministic: true,
  largest: 32_768,
  propose(view, environment, { seed }) {
    return keepBest(view, environment, byParts(view, environment, seed));
  },
};

function* byParts(view: PlanView, environment: ExecutionEnvironment, seed: number): Iterable<Partition> {
  const executors = Math.max(1, Math.min(environment.executors, view.n, MOST_PARTS));
  const bytes = view.outBytes.some((each) => each > 0) ? view.outBytes.map((each) => 1 + each) : undefined;
  for (let parts = executors; parts <= Math.min(8 * executors, view.n, MOST_PARTS); parts *= 2) {
    const cost = bytes === undefined ? {} : { cost: bytes };
    yield acyclicPartition(view, { parts, seed, imbalance: 0.1, attempts: 1, ...cost });
  }
}
