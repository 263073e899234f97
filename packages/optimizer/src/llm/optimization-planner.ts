import type { Model, ModelCall, ModelMessage } from "@planloom/controller";
import { checkedAlike, type OptionChecks, type PlannerTask, type PlanView, type SubGraph } from "@planloom/plan";
import { type Candidate, candidates } from "../candidate.ts";
import { checkOptions } from "../check-options.ts";
import {
  completeEnvironment,
  type EnvironmentInput,
  type ExecutionEnvironment,
  environmentChecks,
} from "../environment.ts";
import { type OptimizerInput, readInput, withTaskOverhead } from "../input.ts";
import { checkWeights, isWeighted, type ObjectiveWeights, objectiveChecks, scorer } from "../objective.ts";
import type { Partition } from "../partition.ts";
import { type Prediction, predict } from "../prediction.ts";
import { repair } from "../repair/repair.ts";
import type { RepairStep } from "../repair/repair-step.ts";
import { makespan } from "../simulate.ts";
import { portfolio } from "../strategies/portfolio.ts";
import { simulateWaiting, type WaitTimes } from "../timed-waits.ts";
import { cutApart, waitsApart } from "../waits-apart.ts";
import { type Asked, type AskOptions, askModel } from "./ask-model.ts";
import { judgeGroups } from "./judge-groups.ts";
import { bareGroups, estimatesSchema, groupsSchema, type OptimizerPrompts, optimizerPrompts } from "./prompts.ts";
import { type Estimates, readEstimates } from "./read-estimates.ts";

export interface OptimizationPlannerOptions {
  readonly model: Model;
  /** `groups`: the model groups the tasks. `estimates`: it estimates their costs, and the solver groups. @default "groups" */
  readonly mode?: "groups" | "estimates";
  /** Where the subgraphs will be dispatched. @default atomic, 4 executors, overhead = mean task estimate */
  readonly environment?: EnvironmentInput;
  /** What counts in addition to the makespan when the model's grouping is compared with those by rule. @default the makespan alone */
  readonly objective?: ObjectiveWeights;
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

const checks = {
  model: { required: { method: "generate", expected: "a model (openaiModel(…), or an object with `generate`)" } },
  mode: ["groups", "estimates"],
  environment: { options: environmentChecks },
  objective: { options: objectiveChecks },
  maxRegret: "number",
  feedback: "boolean",
  maxTasks: "nonNegative",
  temperature: "nonNegative",
  maxTokens: "positive",
  prompts: { options: checkedAlike(Object.keys(optimizerPrompts), "own") },
  onCall: "function",
  now: "function",
} as const satisfies OptionChecks<OptimizationPlannerOptions>;

/** How the model did. */
export interface ModelReport {
  readonly mode: "groups" | "estimates";
  /** Calls made, those that failed included: 0 for a plan that is too large, 2 after feedback. */
  readonly calls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** By the model's price table; 0 without one. */
  readonly cost: number;
  readonly latencyMs: number;
  /** The first answer could be used as it was. */
  readonly validAtFirst: boolean;
  /** What was wrong with each answer, as it was sent back to the model. */
  readonly issues: readonly (readonly string[])[];
  /** What was put right in the answer that counts. */
  readonly repairs: readonly RepairStep[];
  /** Tasks that repair moved, as a share of all. */
  readonly repairDistance: number;
  /** Simulated makespan of the repaired answer, in milliseconds; absent without one. */
  readonly makespanMs?: number;
  /** How much more that is, by the objective, than the best rule-based grouping, as a share; negative if less. */
  readonly regret?: number;
  /** In `estimates` mode: what was taken over, and what was not. */
  readonly estimates?: Omit<Estimates, "view">;
  /** Why there is no answer: the model rejected, or the plan is too large. */
  readonly failure?: string;
}

export interface ModelOptimized extends Prediction {
  /** Whose grouping was kept: `model`, `repair of the model's` where its answer had to be put right, or the name of a rule-based strategy. */
  readonly strategy: string;
  /** The predicted makespan with the time that asking took. */
  readonly endToEndMs: number;
  readonly reason: string;
  readonly model: ModelReport;
}

interface Answer {
  readonly partition: Partition;
  readonly repairs: readonly RepairStep[];
  readonly moved: number;
  readonly makespanMs: number;
}

/**
 * Groups a plan with the help of a language model. Its answer is only a proposal: it is verified, sent back once
 * with what was wrong, repaired, simulated, and compared with the best rule-based grouping. Dependencies between subgraphs
 * come from the plan, never from the model. A model that fails costs nothing but its time: the rule-based grouping is used instead,
 * and the report says so.
 */
export class OptimizationPlanner {
  readonly #options: OptimizationPlannerOptions;
  readonly #prompts: OptimizerPrompts;

  /** @throws OptimizerError `OPTIMIZER_OPTION`, `OPTIMIZER_INPUT` for an invalid weight. */
  constructor(options: OptimizationPlannerOptions) {
    checkOptions("`OptimizationPlanner`", options, checks);
    checkWeights(options.objective ?? {});
    this.#options = options;
    this.#prompts = { ...optimizerPrompts, ...options.prompts };
  }

  /**
   * The Agents Planning System's method.
   * @throws OptimizerError as `ManualOptimizer`; the signal's reason when aborted.
   */
  async generateSubgraphs(input: OptimizerInput, options: { signal?: AbortSignal } = {}): Promise<SubGraph[]> {
    return (await this.optimize(input, options)).subgraphs;
  }

  /** As `generateSubgraphs`, with how the model did. */
  async optimize(input: OptimizerInput, options: { signal?: AbortSignal } = {}): Promise<ModelOptimized> {
    checkOptions("`optimize`", options, { signal: "signal" });
    const { signal } = options;
    signal?.throwIfAborted();
    const { view: given, tasks, complete, waits } = readInput(input);
    const environment = completeEnvironment(given, this.#options.environment);
    const view = withTaskOverhead(given, environment);
    const { mode = "groups", maxTasks = 300, objective: weights = {}, maxRegret = 0.01 } = this.#options;
    const report: Progress = { asked: [], issues: [] };
    if (view.n === 0 || view.n > maxTasks) {
      const failure =
        view.n === 0
          ? "The plan has no tasks."
          : `${view.n} tasks are more than the ${maxTasks} a model is asked about.`;
      return conclude(
        { view, solved: view, tasks, waits, environment, mode, weights, maxRegret },
        { ...report, failure },
      );
    }
    try {
      if (mode === "groups") await this.#groups(view, complete, environment, report, signal);
      else await this.#estimates(given, complete, environment, report, signal);
    } catch (error) {
      signal?.throwIfAborted();
      report.failure = error instanceof Error ? error.message : String(error);
    }
    const estimated = report.estimates?.view ?? given;
    // The default overhead is a mean of the estimates, so new ones change it.
    const final = completeEnvironment(estimated, this.#options.environment);
    const solved = withTaskOverhead(estimated, final);
    return conclude({ view, solved, tasks, waits, environment: final, mode, weights, maxRegret }, report);
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
        { name: "groups", schema: groupsSchema, bare: bareGroups },
        this.#ask(signal),
      );
      report.asked.push(asked);
      if (asked.failure !== undefined) {
        report.failure = asked.failure;
        return;
      }
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
    { classes = [] }: ExecutionEnvironment,
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
    if (asked.failure !== undefined) {
      report.failure = asked.failure;
      return;
    }
    // Where executors differ in what they serve, the classes of the plan's tasks are known.
    const renames = classes.every(({ serves }) => serves === undefined);
    const estimates = asked.value === undefined ? undefined : readEstimates(view, asked.value, { renames });
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

interface Question {
  readonly view: PlanView;
  /** What rule-based strategies work on: the plan's own view, or the one with the model's estimates. */
  readonly solved: PlanView;
  readonly tasks: readonly PlannerTask[];
  readonly waits: WaitTimes | undefined;
  readonly environment: ExecutionEnvironment;
  readonly mode: "groups" | "estimates";
  readonly weights: ObjectiveWeights;
  readonly maxRegret: number;
}

function conclude(
  { view, solved, tasks, waits, environment, mode, weights, maxRegret }: Question,
  { asked, issues, answer, estimates, failure }: Progress,
): ModelOptimized {
  const options = { seed: 0, deadlineMs: Number.POSITIVE_INFINITY };
  const score = scorer(solved, environment, weights);
  const apart = waitsApart(solved, tasks);
  const sorted = cutApart(candidates(portfolio, solved, environment, options), apart, solved, environment, waits).sort(
    (left, right) => score(left) - score(right),
  );
  const rule = sorted[0]!;
  const partition = answer && (apart?.(answer.partition) ?? answer.partition);
  const own: Candidate | undefined = partition && {
    strategy: rule.strategy,
    partition,
    metrics: simulateWaiting(solved, environment, partition, waits),
  };
  const regret = own === undefined ? undefined : score(rule) === 0 ? 0 : score(own) / score(rule) - 1;
  const kept = own !== undefined && regret !== undefined && regret <= maxRegret;
  const prediction = predict(solved, tasks, environment, kept ? own : rule, sorted, score, waits);
  const sum = (pick: (each: Asked) => number) => asked.reduce((total, each) => total + pick(each), 0);
  const latencyMs = sum((each) => each.latencyMs);
  const name = rule.strategy.name;
  const moved = answer === undefined || view.n === 0 ? 0 : answer.moved / view.n;
  const by = answer === undefined || answer.repairs.length === 0 ? "model" : "repair of the model's";
  return {
    ...prediction,
    strategy: kept ? by : name,
    endToEndMs: prediction.predictedMs + latencyMs,
    reason: reasonFor(kept, name, moved, { regret, failure, estimates, weighted: isWeighted(weights) }),
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
      repairDistance: moved,
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
  moved: number,
  said: {
    readonly regret: number | undefined;
    readonly failure: string | undefined;
    readonly estimates: Estimates | undefined;
    readonly weighted: boolean;
  },
): string {
  const { regret, failure, estimates, weighted } = said;
  if (failure !== undefined && regret === undefined) return `Grouped by ${rule}, without the model: ${failure}`;
  if (estimates !== undefined) {
    const { estimated, added } = estimates;
    const tasks = `${estimated} ${estimated === 1 ? "task" : "tasks"}`;
    const found = added.length === 1 ? "one dependency" : `${added.length} dependencies`;
    return `Grouped by ${rule}, from the model's estimates of ${tasks} and ${found} that it found.`;
  }
  const percent = `${Math.abs((regret ?? 0) * 100).toFixed(1)}%`;
  const [equal, less, more] = weighted
    ? ["as good as", "cheaper than", "dearer than"]
    : ["as fast as", "faster than", "slower than"];
  const figure = regret === 0 ? equal : `${percent} ${(regret ?? 0) < 0 ? less : more}`;
  return kept
    ? `Grouped by the model${moved > 0 ? ` and repaired (${Math.round(100 * moved)} % of the tasks moved)` : ""}, ${figure} ${rule}.`
    : `Grouped by ${rule}: the model's grouping is ${figure} it.`;
}
