import type { PlanView } from "@planloom/plan";
import type { ExecutionEnvironment } from "./environment.ts";
import { OptimizerError, OptimizerErrorCode } from "./errors.ts";
import type { Partition } from "./partition.ts";
import { type Metrics, simulate } from "./simulate.ts";
import type { ProposeOptions, RuleStrategy } from "./strategy.ts";
import { verify } from "./verify.ts";

/** A verified proposal with what it is predicted to cost. */
export interface Candidate {
  readonly strategy: RuleStrategy;
  readonly partition: Partition;
  readonly metrics: Metrics;
}

/**
 * Asks one strategy, verifies its answer and simulates it.
 * @throws OptimizerError `OPTIMIZER_INVALID_PARTITION` naming the strategy that proposed nonsense.
 */
export function evaluate(
  strategy: RuleStrategy,
  view: PlanView,
  environment: ExecutionEnvironment,
  options: ProposeOptions,
): Candidate {
  const partition = strategy.propose(view, environment, options);
  const violations = verify(view, environment, partition);
  if (violations.length > 0) {
    throw new OptimizerError(
      OptimizerErrorCode.INVALID_PARTITION,
      `Strategy ${strategy.name} proposed no valid partition: ${violations.map((violation) => violation.message).join(" ")}`,
      { details: { strategy: strategy.name, violations } },
    );
  }
  return { strategy, partition, metrics: simulate(view, environment, partition) };
}

/** Orders candidates: shortest makespan, then fewest dispatches, then the strategy's name. */
export function compareCandidates(left: Candidate, right: Candidate): number {
  return (
    left.metrics.makespanMs - right.metrics.makespanMs ||
    left.metrics.dispatches - right.metrics.dispatches ||
    (left.strategy.name < right.strategy.name ? -1 : 1)
  );
}
