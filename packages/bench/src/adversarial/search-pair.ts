import { makespan, type RuleStrategy } from "@planloom/optimizer";
import { seededRandom } from "@planloom/optimizer/internals";
import { type Instance, perturbed, posed, randomInstance } from "./instance.ts";

export interface PairResult {
  /** Largest makespan of the one over makespan of the other. */
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
}

/**
 * The instance on which `judged` does worst against `against`, by simulated annealing over plans of up to eight tasks (PISA,
 * arXiv 2403.07120: from temperature 10 to 0.1, several restarts). A worse instance is kept with probability
 * `exp(-(found / new) / T)` of the paper. Deterministic for one seed.
 */
export function searchPair(judged: RuleStrategy, against: RuleStrategy, options: AnnealingOptions = {}): PairResult {
  const { restarts = 5, steps = 300, seed = 0 } = options;
  const random = seededRandom(seed);
  const cooling = (0.1 / 10) ** (1 / steps);
  let evaluations = 0;
  const ratioOn = (instance: Instance) => {
    evaluations++;
    const { view, environment } = posed(instance);
    const length = (strategy: RuleStrategy) =>
      makespan(
        view,
        environment,
        strategy.propose(view, environment, { seed: 0, deadlineMs: Number.POSITIVE_INFINITY }),
      );
    return length(judged) / length(against);
  };
  let worst: { ratio: number; instance: Instance } | undefined;
  for (let restart = 0; restart < restarts; restart++) {
    let current = randomInstance(random);
    let ratio = ratioOn(current);
    if (worst === undefined || ratio > worst.ratio) worst = { ratio, instance: current };
    for (let step = 0, temperature = 10; step < steps; step++, temperature *= cooling) {
      const next = perturbed(current, random);
      const nextRatio = ratioOn(next);
      if (nextRatio >= ratio || random() < Math.exp(-(ratio / nextRatio) / temperature)) {
        current = next;
        ratio = nextRatio;
      }
      if (ratio > worst.ratio) worst = { ratio, instance: current };
    }
  }
  return { ...worst!, evaluations };
}
