import type { SubGraph } from "@planloom/plan";
import { type Candidate, candidates } from "./candidate.ts";
import { completeEnvironment, type EnvironmentInput, type ExecutionEnvironment } from "./environment.ts";
import { OptimizerError, OptimizerErrorCode } from "./errors.ts";
import { type OptimizerInput, readInput } from "./input.ts";
import { lowerBound } from "./lower-bound.ts";
import { totalTokens } from "./metrics.ts";
import { type ObjectiveWeights, objectiveOf } from "./objective.ts";
import { explain } from "./reason.ts";
import { strategies } from "./strategies/index.ts";
import type { RuleStrategy } from "./strategy.ts";
import { dispatchOrder, subGraphs } from "./sub-graphs.ts";

export interface ManualOptimizerOptions {
  /** Name of a built-in strategy, or one of your own. @default "portfolio" */
  readonly strategy?: string | RuleStrategy;
  /** Where the subgraphs will be dispatched. @default atomic, 4 executors, overhead = mean task estimate */
  readonly environment?: EnvironmentInput;
  /** What counts besides the makespan when the best of a portfolio is chosen. @default the makespan alone */
  readonly objective?: ObjectiveWeights;
  /** For strategies that draw numbers; the built-in ones draw none. @default 0 */
  readonly seed?: number;
}

/** One strategy's figures for the same plan and environment. */
export interface CandidateFigures {
  readonly strategy: string;
  readonly predictedMs: number;
  readonly dispatches: number;
  readonly rounds: number;
  readonly parallelism: number;
  readonly cutBytes: number;
}

export interface Optimized {
  /** In a topological order; every task of the plan in exactly one. */
  readonly subgraphs: SubGraph[];
  /**
   * Ids of the subgraphs in the order in which they are to be dispatched, none overtaking another, where the prediction rests on
   * that; for the runtime's option of the same name. Absent: whichever is ready, longest remaining path first.
   */
  readonly dispatchOrder?: readonly string[];
  /** The strategy whose grouping was kept. */
  readonly strategy: string;
  /** Simulated makespan, in milliseconds. */
  readonly predictedMs: number;
  /** What no grouping can beat in this environment, in milliseconds. */
  readonly lowerBoundMs: number;
  /** `predictedMs / lowerBoundMs`, at least 1; 1 when nothing takes any time. */
  readonly ratio: number;
  /** The ratio is 1: no grouping ends earlier, and that is proved. */
  readonly proved: boolean;
  /** The makespan with whatever else the options let count. */
  readonly objective: number;
  readonly dispatches: number;
  /** Prompt tokens of all dispatches. */
  readonly tokens: number;
  /** Why this grouping, in plain words. */
  readonly reason: string;
  readonly environment: ExecutionEnvironment;
  /** Every strategy that was simulated, best first. */
  readonly candidates: readonly CandidateFigures[];
}

/**
 * Groups a plan into subgraphs by rule, with no model: the same plan gives the same subgraphs. It trusts nobody's list of
 * dependencies but the plan's own (declared and implied by references), and never changes what it is given.
 */
export class ManualOptimizer {
  readonly #strategy: RuleStrategy;
  readonly #environment: EnvironmentInput;
  readonly #seed: number;
  readonly #objective: ObjectiveWeights;

  /** @throws OptimizerError `OPTIMIZER_UNKNOWN_STRATEGY`. */
  constructor(options: ManualOptimizerOptions = {}) {
    const { strategy = "portfolio", environment = {}, seed = 0, objective = {} } = options;
    this.#strategy = typeof strategy === "string" ? findStrategy(strategy) : strategy;
    this.#environment = environment;
    this.#seed = seed;
    this.#objective = objective;
  }

  /**
   * Seed 003's method.
   * @param input a plan, its tasks, or a graphology graph of them (`planGraph`).
   * @returns subgraphs in a topological order, holding the plan's own task objects.
   * @throws OptimizerError for a cycle, an unknown dependency, a repeated id, or an input of another kind.
   */
  generateSubgraphs(input: OptimizerInput): SubGraph[] {
    return this.optimize(input).subgraphs;
  }

  /** As `generateSubgraphs`, with the prediction, the bound and what the other strategies would have cost. */
  optimize(input: OptimizerInput): Optimized {
    const { view, tasks } = readInput(input);
    const environment = completeEnvironment(view, this.#environment);
    const options = { seed: this.#seed, deadlineMs: Number.POSITIVE_INFINITY };
    const score = (each: Candidate) => objectiveOf(view, environment, each, this.#objective);
    const proposed = candidates(this.#strategy, view, environment, options);
    // Already sorted by makespan; the sort is stable.
    const sorted = proposed
      .map((each) => ({ each, score: score(each) }))
      .sort((left, right) => left.score - right.score)
      .map(({ each }) => each);
    const best = sorted[0]!;
    const proved = sorted.map(({ partition }) => partition.provedMs ?? 0);
    // Sums of the same numbers in another order may differ in the last digit.
    const lowerBoundMs = Math.min(best.metrics.makespanMs, Math.max(lowerBound(view, environment), ...proved));
    const subgraphs = subGraphs(view, tasks, best.partition);
    return {
      subgraphs,
      ...dispatchOrder(environment, best.partition, subgraphs),
      strategy: best.strategy.name,
      predictedMs: best.metrics.makespanMs,
      lowerBoundMs,
      ratio: lowerBoundMs === 0 ? 1 : best.metrics.makespanMs / lowerBoundMs,
      proved: best.metrics.makespanMs <= lowerBoundMs,
      objective: score(best),
      dispatches: best.partition.count,
      tokens: totalTokens(view, environment, best.partition),
      reason: explain(sorted, view.n),
      environment,
      candidates: sorted.map(figures),
    };
  }
}

function figures({ strategy, metrics }: Candidate): CandidateFigures {
  const { makespanMs, dispatches, rounds, parallelism, cutBytes } = metrics;
  return { strategy: strategy.name, predictedMs: makespanMs, dispatches, rounds, parallelism, cutBytes };
}

function findStrategy(name: string): RuleStrategy {
  const strategy = strategies.get(name);
  if (strategy !== undefined) return strategy;
  const known = [...strategies.keys()];
  throw new OptimizerError(
    OptimizerErrorCode.UNKNOWN_STRATEGY,
    `Expected strategy to be one of ${known.join(", ")}, got ${JSON.stringify(name)}.`,
    { details: { strategy: name, known } },
  );
}
