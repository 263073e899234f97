import type { OptionChecks, PlanView, SubGraph } from "@planloom/plan";
import { type Candidate, candidates } from "./candidate.ts";
import { checkOptions } from "./check-options.ts";
import { coarsened } from "./coarsened.ts";
import {
  completeEnvironment,
  type EnvironmentInput,
  type ExecutionEnvironment,
  environmentChecks,
} from "./environment.ts";
import { OptimizerError, OptimizerErrorCode } from "./errors.ts";
import { type OptimizerInput, readInput, withTaskOverhead } from "./input.ts";
import { isolated } from "./isolated-strategy.ts";
import { expectedRework, totalTokens } from "./metrics.ts";
import { checkWeights, isWeighted, type ObjectiveWeights, objectiveChecks, scorer } from "./objective.ts";
import { type ParetoAxis, type ParetoPoint, paretoFront } from "./pareto-front.ts";
import type { Partition } from "./partition.ts";
import { type Prediction, predict } from "./prediction.ts";
import { explain } from "./reason.ts";
import { robustStrategy } from "./robust/robust.ts";
import { type RobustOptions, robustChecks } from "./robust/uncertainty.ts";
import { simulate } from "./simulate.ts";
import { strategies } from "./strategies/index.ts";
import type { ProposeOptions, RuleStrategy } from "./strategy.ts";
import { dispatchOrder, subGraphs } from "./sub-graphs.ts";
import { runningOrder, simulateWaiting, type WaitTimes } from "./timed-waits.ts";
import { cutApart, waitsApart } from "./waits-apart.ts";

/** Who groups, for which environment, and what counts beside time. */
export interface ManualOptimizerOptions {
  /** Name of a built-in strategy, or one of your own. @default "portfolio" */
  readonly strategy?: string | RuleStrategy;
  /** Where the subgraphs will be dispatched. @default atomic, 4 executors, overhead = mean task estimate */
  readonly environment?: EnvironmentInput;
  /** What counts in addition to the makespan when the best of a portfolio is chosen. @default the makespan alone */
  readonly objective?: ObjectiveWeights;
  /** For strategies that draw numbers (`anytime`, `random-valid`). @default 0 */
  readonly seed?: number;
  /** Wall time that a strategy may search, in milliseconds; `anytime` uses all of it. @default 1000 for `anytime`, else none */
  readonly deadlineMs?: number;
  /**
   * What a strategy may search in place of a deadline, with the same answer on every machine: looking at one grouping of a plan of n tasks counts n. A million
   * are some 50 ms. @default none
   */
  readonly evaluations?: number;
  /** For the strategy `robust`, which it chooses where none is named: what durations may be, and which risk is to be small. @default a sigma of 1, the mean */
  readonly robust?: RobustOptions;
}

const checks = {
  strategy: { either: ["text", { method: "propose", expected: "a strategy ({ name, propose })" }] },
  environment: { options: environmentChecks },
  objective: { options: objectiveChecks },
  seed: "number",
  deadlineMs: "own",
  evaluations: "positive",
  robust: { options: robustChecks },
} as const satisfies OptionChecks<ManualOptimizerOptions>;

/** One strategy's figures for the same plan and environment. */
export interface CandidateFigures {
  readonly strategy: string;
  /** What the strategies are sorted by: the makespan together with what else the options weigh. */
  readonly objective: number;
  readonly predictedMs: number;
  readonly dispatches: number;
  readonly rounds: number;
  readonly parallelism: number;
  readonly cutBytes: number;
}

/** The grouping that was chosen, what it is predicted to take, and what the other strategies made of the plan. */
export interface Optimized extends Prediction {
  /** The strategy whose grouping was kept. */
  readonly strategy: string;
  /** Why this grouping, in plain words. */
  readonly reason: string;
  /** Every strategy that was simulated, best first. */
  readonly candidates: readonly CandidateFigures[];
}

/** One grouping to choose: its subgraphs, and what it costs. */
export interface Choice extends Omit<ParetoPoint, "partition"> {
  readonly subgraphs: SubGraph[];
  readonly dispatchOrder?: readonly string[];
  readonly placement?: readonly number[];
}

/** Plans of up to so many tasks are merged further where more counts than the makespan. */
const MOST_MERGED = 200;

/**
 * Groups a plan into subgraphs by rule, with no model: the same plan gives the same subgraphs. It trusts no given list of
 * dependencies but the plan's own (declared and implied by references), and never changes what it is given.
 */
export class ManualOptimizer {
  readonly #strategy: RuleStrategy;
  readonly #environment: EnvironmentInput;
  readonly #seed: number;
  readonly #deadlineMs: number;
  readonly #evaluations: number | undefined;
  readonly #objective: ObjectiveWeights;

  /** @throws OptimizerError `OPTIMIZER_OPTION`, `OPTIMIZER_UNKNOWN_STRATEGY`, `OPTIMIZER_INPUT` for an invalid weight. */
  constructor(options: ManualOptimizerOptions = {}) {
    checkOptions("`ManualOptimizer`", options, checks);
    const { robust: uncertain, environment = {}, seed = 0, objective = {} } = options;
    const { strategy = uncertain === undefined ? "portfolio" : "robust" } = options;
    if (uncertain !== undefined && strategy !== "robust") {
      throw new OptimizerError(
        OptimizerErrorCode.INPUT,
        `Expected the strategy "robust" or none beside \`robust\`, got ${JSON.stringify(typeof strategy === "string" ? strategy : strategy.name)}.`,
        { details: { field: "strategy" } },
      );
    }
    const { deadlineMs = Number.POSITIVE_INFINITY } = options;
    if (typeof deadlineMs !== "number" || !(deadlineMs > 0)) {
      throw new OptimizerError(
        OptimizerErrorCode.INPUT,
        `Expected deadlineMs to be a number above 0, got ${String(deadlineMs)} (${typeof deadlineMs}).`,
        { details: { field: "deadlineMs" } },
      );
    }
    this.#deadlineMs = deadlineMs;
    this.#evaluations = options.evaluations;
    this.#strategy =
      uncertain !== undefined
        ? robustStrategy(uncertain)
        : typeof strategy === "string"
          ? findStrategy(strategy)
          : isolated(strategy);
    this.#environment = environment;
    this.#seed = seed;
    checkWeights(objective);
    this.#objective = objective;
  }

  /**
   * The Agents Planning System's method.
   * @param input a plan, its tasks, or a graphology graph of them (`planGraph`).
   * @returns subgraphs in a topological order, holding the plan's own task objects.
   * @throws OptimizerError for a cycle, an unknown dependency, a repeated id, or an input of another kind.
   */
  generateSubgraphs(input: OptimizerInput): SubGraph[] {
    return this.optimize(input).subgraphs;
  }

  /** As `generateSubgraphs`, with the prediction, the bound and what the other strategies would have cost. */
  optimize(input: OptimizerInput): Optimized {
    const { view: given, tasks, waits } = readInput(input);
    const environment = completeEnvironment(given, this.#environment);
    const view = withTaskOverhead(given, environment);
    const options = this.#proposeOptions();
    const score = scorer(view, environment, this.#objective);
    const proposed = candidates(this.#strategy, view, environment, options);
    const weighted = isWeighted(this.#objective);
    const further = weighted && this.#strategy.members !== undefined && view.n <= MOST_MERGED;
    const grouped = further ? [...proposed, ...merged(view, environment, proposed, score)] : proposed;
    const offered = cutApart(grouped, waitsApart(view, tasks), view, environment, waits);
    const rework = ({ partition }: Candidate) => expectedRework(view, environment, partition);
    // Already sorted by makespan and dispatches; the sort is stable.
    const sorted = offered
      .map((each) => ({ each, rework: rework(each) }))
      .sort(
        (left, right) =>
          score(left.each) - score(right.each) || tied(left.each, right.each) || left.rework - right.rework,
      )
      .map(({ each }) => each);
    const best = sorted[0]!;
    return {
      ...predict(view, tasks, environment, best, sorted, score, waits),
      strategy: best.strategy.name,
      reason: explain(sorted, view.n, weighted ? score : undefined),
      candidates: sorted.map((each) => figures(each, score(each))),
    };
  }

  /**
   * Groupings to choose among, shortest first: none beats another in every one of `axes`. Of what the portfolio proposes and of
   * that merged further, so a front of what was looked at. Some milliseconds for plans of the size that models write, seconds for
   * hundreds of tasks.
   * @param axes what counts. @default makespan, dispatches and expected rework
   * @throws OptimizerError as `optimize`.
   */
  choices(input: OptimizerInput, axes?: readonly ParetoAxis[]): Choice[] {
    const { view: given, tasks, waits } = readInput(input);
    const environment = completeEnvironment(given, this.#environment);
    const view = withTaskOverhead(given, environment);
    const options = this.#proposeOptions();
    const apart = waitsApart(view, tasks);
    return paretoFront(view, environment, options, axes).map((point) => {
      const { partition, ...figures } = apart === undefined ? point : cutPoint(point, apart, view, environment, waits);
      const subgraphs = subGraphs(view, tasks, partition, runningOrder(view, environment, waits));
      return { ...figures, subgraphs, ...dispatchOrder(partition, subgraphs) };
    });
  }

  #proposeOptions(): ProposeOptions {
    const evaluations = this.#evaluations;
    return { seed: this.#seed, deadlineMs: this.#deadlineMs, ...(evaluations === undefined ? {} : { evaluations }) };
  }
}

function cutPoint(
  point: ParetoPoint,
  apart: (partition: Partition) => Partition,
  view: PlanView,
  environment: ExecutionEnvironment,
  waits: WaitTimes | undefined,
): ParetoPoint {
  const partition = apart(point.partition);
  return {
    ...point,
    partition,
    makespanMs: simulateWaiting(view, environment, partition, waits).makespanMs,
    dispatches: partition.count,
    tokens: totalTokens(view, environment, partition),
    expectedReworkMs: expectedRework(view, environment, partition),
  };
}

/** Only the expected rework is left to decide where time and dispatches are the same. */
const tied = (left: Candidate, right: Candidate) =>
  left.metrics.makespanMs - right.metrics.makespanMs || left.metrics.dispatches - right.metrics.dispatches;

/** What the candidates become with one dispatch less at a time, where the objective is better for it; the best of each. */
function merged(
  view: PlanView,
  environment: ExecutionEnvironment,
  proposed: readonly Candidate[],
  score: (each: Candidate) => number,
): Candidate[] {
  return proposed.flatMap((start) => {
    const strategy = {
      ...start.strategy,
      name: `${start.strategy.name}, merged`,
      description: `${start.strategy.description}, and subgraphs are merged where that is worth more than the time`,
    };
    let best = start;
    let least = score(start);
    for (const partition of coarsened(view, environment, start.partition)) {
      const candidate = { strategy, partition, metrics: simulate(view, environment, partition) };
      const own = score(candidate);
      if (own >= least) continue;
      best = candidate;
      least = own;
    }
    return best === start ? [] : [best];
  });
}

function figures({ strategy, metrics }: Candidate, objective: number): CandidateFigures {
  const { makespanMs, dispatches, rounds, parallelism, cutBytes } = metrics;
  return { strategy: strategy.name, objective, predictedMs: makespanMs, dispatches, rounds, parallelism, cutBytes };
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
