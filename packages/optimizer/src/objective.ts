import type { OptionChecks, PlanView } from "@planloom/plan";
import type { Candidate } from "./candidate.ts";
import type { ExecutionEnvironment } from "./environment.ts";
import { OptimizerError, OptimizerErrorCode } from "./errors.ts";
import { blastRadius, expectedRework, priceOf, totalTokens } from "./metrics.ts";
import { quotient } from "./quotient.ts";

/** What counts in addition to the makespan, each in milliseconds of makespan. If all are 0, only the makespan counts. */
export interface ObjectiveWeights {
  /** Milliseconds that one prompt token is worth. @default 0 */
  readonly perToken?: number;
  /** Milliseconds that one unit of money is worth, by the prices of the environment. @default 0 */
  readonly perPrice?: number;
  /** Milliseconds that one byte sent between subgraphs is worth. @default 0 */
  readonly perCutByte?: number;
  /** Milliseconds that one millisecond of expected rework is worth. @default 0 */
  readonly perReworkMs?: number;
  /** Milliseconds that one task of the mean blast radius is worth. @default 0 */
  readonly perBlastTask?: number;
}

/** Values are checked by `checkWeights`. */
export const objectiveChecks = {
  perToken: "own",
  perPrice: "own",
  perCutByte: "own",
  perReworkMs: "own",
  perBlastTask: "own",
} as const satisfies OptionChecks<ObjectiveWeights>;

/** Whether anything counts in addition to the makespan. */
export function isWeighted(weights: ObjectiveWeights): boolean {
  return Object.values(weights).some((weight: number | undefined) => weight !== undefined && weight !== 0);
}

/** @throws OptimizerError `OPTIMIZER_INPUT` for a weight that is not a finite number of at least 0. */
export function checkWeights(weights: ObjectiveWeights): void {
  for (const [name, weight] of Object.entries(weights) as [string, number | undefined][]) {
    if (weight === undefined || (Number.isFinite(weight) && weight >= 0)) continue;
    throw new OptimizerError(
      OptimizerErrorCode.INPUT,
      `Expected objective.${name} to be a finite number of at least 0, got ${String(weight)} (${typeof weight}).`,
      { details: { field: name } },
    );
  }
}

/**
 * `makespan + perToken · tokens + perPrice · price + perCutByte · bytes + perReworkMs · expected rework + perBlastTask · mean blast radius`.
 * O(n + m), but for the blast radius, see `measure`.
 */
export function objectiveOf(
  view: PlanView,
  environment: ExecutionEnvironment,
  { partition, metrics }: Candidate,
  { perToken = 0, perPrice = 0, perCutByte = 0, perReworkMs = 0, perBlastTask = 0 }: ObjectiveWeights = {},
): number {
  const tokens = perToken === 0 ? 0 : perToken * totalTokens(view, environment, partition);
  const price = perPrice === 0 ? 0 : perPrice * priceOf(view, environment, partition, metrics.schedule);
  const rework = perReworkMs === 0 ? 0 : perReworkMs * expectedRework(view, environment, partition);
  const blast =
    perBlastTask === 0 ? 0 : perBlastTask * blastRadius(view, partition, quotient(view, partition), metrics).mean;
  return metrics.makespanMs + tokens + price + perCutByte * metrics.cutBytes + rework + blast;
}

/** `objectiveOf`, computed once for each candidate, since sorting and reporting ask for it repeatedly. */
export function scorer(
  view: PlanView,
  environment: ExecutionEnvironment,
  weights: ObjectiveWeights,
): (each: Candidate) => number {
  const known = new Map<Candidate, number>();
  return (each) => {
    let own = known.get(each);
    if (own === undefined) {
      own = objectiveOf(view, environment, each, weights);
      known.set(each, own);
    }
    return own;
  };
}
