import type { Model, ModelCall, ModelMessage } from "@planloom/controller";
import type { PlannerTask, PlanView, SubGraph } from "@planloom/plan";
import { type Candidate, candidates } from "../candidate.ts";
import { completeEnvironment, type EnvironmentInput, type ExecutionEnvironment } from "../environment.ts";
import { type OptimizerInput, readInput } from "../input.ts";
import { lowerBound } from "../lower-bound.ts";
import type { Partition } from "../partition.ts";
import { type RepairStep, repair } from "../repair/repair.ts";
import { makespan } from "../simulate.ts";
import { portfolio } from "../strategies/portfolio.ts";
import { dispatchOrder, subGraphs } from "../sub-graphs.ts";
import { type Asked, type AskOptions, askModel } from "./ask-model.ts";
import { judgeGroups } from "./judge-groups.ts";
import { estimatesSchema, groupsSchema, type OptimizerPrompts, optimizerPrompts } from "./prompts.ts";
import { type Estimates, readEstimates } from "./read-estimates.ts";

export interface OptimizationPlannerOptions {
  readonly model: Model;
  /** `groups`: the model groups the tasks. `estimates`: it estimates their costs, and the solver groups. @default "groups" */
  readonly mode?: "groups" | "estimates";
  /** Where the subgraphs will be dispatched. @default atomic, 4 executors, overhead = mean task estimate */
  readonly environment?: EnvironmentInput;
  /**
   * How much longer than the best rule-based grouping the model's may take, as a share, and still be kept; `Infinity` to
   * keep it always. @default 0.01
   */
  readonly maxRegret?: number;
  /** Whether to send what was wrong back to the model, once. @default true */
  readonly feedback?: boolean;
  /** Plans of more tasks are grouped by rule, without a call. @default 300 */
  readonly maxTasks?: number;
  /** @default the model's own */
  readonly temperature?: number;
  /** @default the model's own */
  readonly maxTokens?: number;
  /** Own texts in place of the built-in ones. */
  readonly prompts?: Partial<OptimizerPrompts>;
  /** Sees every call of the model with its request, reply and latency. */
  readonly onCall?: (call: ModelCall) => void;
  /** Milliseconds, for latencies. @default performance.now */
  readonly now?: () => number;
}

/** How the model did. */
export interface ModelReport {
  readonly mode: "groups" | "estimates";
  /** Calls made: 0 for a plan that is too large, 2 after feedback. */
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** By the model's price table; 0 without one. */
  readonly cost: number;
  readonly latencyMs: number;
  /** The first answer could be used as it was. */
  readonly validAtFirst: boolean;
  /** What was wrong with each answer, as the model was told. */
  readonly issues: readonly (readonly string[])[];
  /** What was put right in the answer that counts. */
  readonly repairs: readonly RepairStep[];
  /** Tasks that repair moved, as a share of all. */
  readonly repairDistance: number;
  /** Simulated makespan of the repaired answer, in milliseconds; absent without one. */
  readonly makespanMs?: number;
  /** How much longer that is than the best rule-based grouping, as a share; negative if shorter. */
  readonly regret?: number;
  /** In `estimates` mode: what was taken over, and what was not. */
  readonly estimates?: Omit<Estimates, "view">;
  /** Why there is no answer: the model rejected, or the plan is too large. */
  readonly failure?: string;
}

export interface ModelOptimized {
  /** In a topological order; every task of the plan in exactly one. */
  readonly subgraphs: SubGraph[];
  /** As `Optimized.dispatchOrder`. */
  readonly dispatchOrder?: readonly string[];
  /** Whose grouping was kept: `model`, or the name of a rule-based strategy. */
  readonly strategy: string;
  /** Simulated makespan, in milliseconds. */
  readonly predictedMs: number;
  /** The same with the time that asking took. */
  readonly endToEndMs: number;
  readonly lowerBoundMs: number;
  /** `predictedMs / lowerBoundMs`, at least 1. */
  readonly ratio: number;
  readonly reason: string;
  readonly environment: ExecutionEnvironment;
  readonly model: ModelReport;
}

interface Answer {
  readonly partition: Partition;
  readonly repairs: readonly RepairStep[];
  readonly moved: number;
  readonly makespanMs: number;
}

/**
 * Groups a plan with the help of a language model. Whatever it answers is only a proposal: it is verified, sent back once
 * with what was wrong, repaired, simulated, and compared with the best rule-based grouping. Dependencies between subgraphs
 * come from the plan, never from the model. A model that fails costs nothing but its time: the rule-based grouping stands in,
 * and the report says so.
 */
export class OptimizationPlanner {
  readonly #options: OptimizationPlannerOptions;
  readonly #prompts: OptimizerPrompts;

  constructor(options: OptimizationPlannerOptions) {
    this.#options = options;
    this.#prompts = { ...optimizerPrompts, ...options.prompts };
  }

  /**
   * Seed 003's method.
   * @throws OptimizerError as `ManualOptimizer`; the signal's reason when aborted.
   */
  async generateSubgraphs(input: OptimizerInput, options: { signal?: AbortSignal } = {}): Promise<SubGraph[]> {
    return (await this.optimize(input, options)).subgraphs;
  }

  /** As `generateSubgraphs`, with how the model did. */
  async optimize(input: OptimizerInput, { signal }: { signal?: AbortSignal } = {}): Promise<ModelOptimized> {
    signal?.throwIfAborted();
    const { view, tasks } = readInput(input);
    const environment = completeEnvironment(view, this.#options.environment);
    const { mode = "groups", maxTasks = 300 } = this.#options;
    const report: Progress = { asked: [], issues: [] };
    if (view.n === 0 || view.n > maxTasks) {
      const failure =
        view.n === 0
          ? "The plan has no tasks."
          : `${view.n} tasks are more than the ${maxTasks} a model is asked about.`;
      return conclude(view, view, tasks, environment, mode, { ...report, failure }, 0);
    }
    try {
      if (mode === "groups") await this.#groups(view, tasks, environment, report, signal);
      else await this.#estimates(view, tasks, report, signal);
    } catch (error) {
      signal?.throwIfAborted();
      report.failure = error instanceof Error ? error.message : String(error);
    }
    const solved = report.estimates?.view ?? view;
    // The default overhead is a mean of the estimates, so new ones change it.
    const final = completeEnvironment(solved, this.#options.environment);
    return conclude(view, solved, tasks, final, mode, report, this.#options.maxRegret ?? 0.01);
  }

  async #groups(
    view: PlanView,
    tasks: readonly PlannerTask[],
    environment: ExecutionEnvironment,
    report: Progress,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const messages: ModelMessage[] = [
      { role: "system", content: this.#prompts.groups(environment) },
      { role: "user", content: this.#prompts.plan(view, tasks) },
    ];
    for (let round = 0; round < (this.#options.feedback === false ? 1 : 2); round++) {
      const asked = await askModel(
        this.#options.model,
        messages,
        { name: "groups", schema: groupsSchema },
        this.#ask(signal),
      );
      report.asked.push(asked);
      const issues = asked.value === undefined ? asked.issues : judgeGroups(view, environment, asked.value);
      report.issues.push(issues);
      if (asked.value !== undefined) {
        const { partition, log: repairs, moved } = repair(view, environment, asked.value);
        const answer = { partition, repairs, moved, makespanMs: makespan(view, environment, partition) };
        // A second answer may be worse than the first, repaired.
        if (report.answer === undefined || answer.makespanMs <= report.answer.makespanMs) report.answer = answer;
      }
      if (issues.length === 0) return;
      messages.push(
        { role: "assistant", content: asked.text },
        { role: "user", content: this.#prompts.feedback(issues) },
      );
    }
    if (report.answer === undefined) report.failure = "Nothing in the answers could be read as groups.";
  }

  async #estimates(
    view: PlanView,
    tasks: readonly PlannerTask[],
    report: Progress,
    signal: AbortSignal | undefined,
  ): Promise<void> {
    const messages: ModelMessage[] = [
      { role: "system", content: this.#prompts.estimates() },
      { role: "user", content: this.#prompts.plan(view, tasks) },
    ];
    const asked = await askModel(
      this.#options.model,
      messages,
      { name: "estimates", schema: estimatesSchema },
      this.#ask(signal),
    );
    report.asked.push(asked);
    const estimates = asked.value === undefined ? undefined : readEstimates(view, asked.value);
    report.issues.push(estimates?.rejected ?? asked.issues);
    if (estimates === undefined) report.failure = "Nothing in the answer could be read as estimates.";
    else report.estimates = estimates;
  }

  #ask(signal: AbortSignal | undefined): AskOptions {
    const { temperature, maxTokens, onCall, now = () => performance.now() } = this.#options;
    return { temperature, maxTokens, onCall, now, signal };
  }
}

interface Progress {
  readonly asked: Asked[];
  readonly issues: (readonly string[])[];
  answer?: Answer;
  estimates?: Estimates;
  failure?: string;
}

/** @param solved the view that rule-based strategies work on: the plan's own, or the one with the model's estimates. */
function conclude(
  view: PlanView,
  solved: PlanView,
  tasks: readonly PlannerTask[],
  environment: ExecutionEnvironment,
  mode: "groups" | "estimates",
  { asked, issues, answer, estimates, failure }: Progress,
  maxRegret: number,
): ModelOptimized {
  const sorted: Candidate[] = candidates(portfolio, solved, environment, {
    seed: 0,
    deadlineMs: Number.POSITIVE_INFINITY,
  });
  const rule = sorted[0]!;
  const best = rule.metrics.makespanMs;
  const regret = answer === undefined ? undefined : best === 0 ? 0 : answer.makespanMs / best - 1;
  const kept = answer !== undefined && regret !== undefined && regret <= maxRegret;
  const partition = kept ? answer.partition : rule.partition;
  const predictedMs = kept ? answer.makespanMs : best;
  const proved = sorted.map((each) => each.partition.provedMs ?? 0);
  const lowerBoundMs = Math.min(predictedMs, Math.max(lowerBound(solved, environment), ...proved));
  const sum = (pick: (each: Asked) => number) => asked.reduce((total, each) => total + pick(each), 0);
  const latencyMs = sum((each) => each.latencyMs);
  const name = rule.strategy.name;
  const subgraphs = subGraphs(solved, tasks, partition);
  return {
    subgraphs,
    ...dispatchOrder(environment, partition, subgraphs),
    strategy: kept ? "model" : name,
    predictedMs,
    endToEndMs: predictedMs + latencyMs,
    lowerBoundMs,
    ratio: lowerBoundMs === 0 ? 1 : predictedMs / lowerBoundMs,
    reason: reasonFor(kept, name, regret, failure, estimates),
    environment,
    model: {
      mode,
      calls: asked.length,
      inputTokens: sum((each) => each.inputTokens),
      outputTokens: sum((each) => each.outputTokens),
      cost: sum((each) => each.cost),
      latencyMs,
      validAtFirst: issues[0] !== undefined && issues[0].length === 0,
      issues,
      repairs: answer?.repairs ?? [],
      repairDistance: answer === undefined || view.n === 0 ? 0 : answer.moved / view.n,
      ...(answer === undefined ? {} : { makespanMs: answer.makespanMs }),
      ...(regret === undefined ? {} : { regret }),
      ...(estimates === undefined
        ? {}
        : { estimates: { estimated: estimates.estimated, added: estimates.added, rejected: estimates.rejected } }),
      ...(failure === undefined ? {} : { failure }),
    },
  };
}

function reasonFor(
  kept: boolean,
  rule: string,
  regret: number | undefined,
  failure: string | undefined,
  estimates: Estimates | undefined,
): string {
  if (failure !== undefined && regret === undefined) return `Grouped by ${rule}, without the model: ${failure}`;
  if (estimates !== undefined) {
    return `Grouped by ${rule}, from the model's estimates of ${estimates.estimated} task(s) and ${estimates.added.length} dependencies that it found.`;
  }
  const percent = `${Math.abs((regret ?? 0) * 100).toFixed(1)}%`;
  const compared = (regret ?? 0) <= 0 ? `${percent} faster than` : `${percent} slower than`;
  const figure = regret === 0 ? "as fast as" : compared;
  return kept
    ? `Grouped by the model, ${figure} ${rule}.`
    : `Grouped by ${rule}: the model's grouping is ${figure} it.`;
}
