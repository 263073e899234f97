import type { RuleStrategy } from "@planloom/optimizer";
import { evaluate, seededRandom } from "@planloom/optimizer/internals";
import { type Instance, type InstanceRange, perturbed, posed, randomInstance, smallInstances } from "./instance.ts";

export interface PairResult {
  /** Largest makespan of the one over makespan of the other; 0 where one of the two grouped no plan. */
  readonly ratio: number;
  readonly instance: Instance;
  readonly evaluations: number;
}

export interface AnnealingOptions {
  /** @default 5 */
  readonly restarts?: number;
  /** Steps from temperature 10 to 0.1. @default 300 */
  readonly steps?: number;
  readonly seed?: number;
  /** @default 4 to 8 tasks on 2 to 4 executors */
  readonly instances?: InstanceRange;
  /** Keeps what is worse alone, without PISA's temperature: for instances on which an evaluation is dear. @default false */
  readonly climb?: boolean;
  /** What each strategy may search on each instance, see `ProposeOptions`. @default without limit, but for what a strategy limits itself */
  readonly evaluations?: number;
  /** `Date.now()` at which to stop. @default never */
  readonly until?: number;
}

/**
 * The instance on which `judged` does worst against `against`, by simulated annealing over plans of up to eight tasks (PISA,
 * arXiv 2403.07120: from temperature 10 to 0.1, several restarts). A worse instance is kept with probability
 * `exp(-(found / new) / T)` of the paper. Deterministic for one seed.
 */
export function searchPair(judged: RuleStrategy, against: RuleStrategy, options: AnnealingOptions = {}): PairResult {
  const {
    restarts = 5,
    steps = 300,
    seed = 0,
    instances = smallInstances,
    climb = false,
    evaluations: budget,
  } = options;
  const { until = Number.POSITIVE_INFINITY } = options;
  const random = seededRandom(seed);
  const cooling = (0.1 / 10) ** (1 / steps);
  let evaluations = 0;
  const ratioOn = (instance: Instance) => {
    evaluations++;
    const { view, environment } = posed(instance);
    // A strategy that throws or proposes an invalid grouping has no makespan on this plan.
    const length = (strategy: RuleStrategy) =>
      evaluate(strategy, view, environment, {
        seed: 0,
        deadlineMs: Number.POSITIVE_INFINITY,
        ...(budget === undefined ? {} : { evaluations: budget }),
      }).metrics.makespanMs;
    try {
      return length(judged) / length(against);
    } catch {
      return 0;
    }
  };
  let worst: { ratio: number; instance: Instance } | undefined;
  for (let restart = 0; restart < restarts; restart++) {
    let current = randomInstance(random, instances);
    let ratio = ratioOn(current);
    if (worst === undefined || ratio > worst.ratio) worst = { ratio, instance: current };
    for (let step = 0, temperature = 10; step < steps && Date.now() < until; step++, temperature *= cooling) {
      const next = perturbed(current, random, instances);
      const nextRatio = ratioOn(next);
      if (nextRatio >= ratio || (!climb && random() < Math.exp(-(ratio / nextRatio) / temperature))) {
        current = next;
        ratio = nextRatio;
      }
      if (ratio > worst.ratio) worst = { ratio, instance: current };
    }
  }
  return { ...worst!, evaluations };
}
