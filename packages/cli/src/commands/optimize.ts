import type { PlanloomConfig, TaskData } from "planloom";
import type { GroupingOptions, RuleGrouping } from "planloom/dispatch";
import {
  assess,
  type EnvironmentInput,
  ManualOptimizer,
  type ModelOptimized,
  OptimizationPlanner,
  type Prediction,
  type Risk,
} from "planloom/optimizer";
import type { EstimatedPlan, EstimateSources } from "planloom/runtime";
import { type ControllerChoice, chooseModel } from "../choose-controller.ts";
import { loadConfig } from "../config-file.ts";
import { configuredGrouping } from "../configured-grouping.ts";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import { journalName } from "../journals.ts";
import { readEnvironment } from "../options/environment.ts";
import { readObjective } from "../options/objective.ts";
import { readStrategies } from "../options/strategies.ts";
import { type FilledIn, findWholePlan } from "../target.ts";
import { styleFor } from "../terminal/style.ts";
import { headline } from "../views/heading.ts";
import { optimizedView } from "../views/optimized-view.ts";
import { fileTitle } from "../views/plan-title.ts";
import type { ShownSources } from "../views/plan-view.ts";
import { withJournal } from "./recorded-runs.ts";

export interface OptimizeOptions extends ControllerChoice {
  readonly config?: string | false;
  /** `robust` are rules with the strategy of that name. */
  readonly optimizer?: "rules" | "model" | "robust";
  /** Standard deviation of the logarithm of durations. */
  readonly sigma?: number;
  /** `mean`, `quantile=0.95` or `cvar=0.9`. */
  readonly risk?: string;
  /** Whether durations are learned from earlier runs, where the plan has none. */
  readonly learned?: boolean;
  readonly env?: string;
  readonly executors?: number;
  readonly overhead?: number;
  readonly strategy?: string;
  readonly objective?: string;
  readonly deadline?: number;
  /** What a search may spend, in looks at one task. */
  readonly evaluations?: number;
  readonly front?: boolean;
  readonly json?: boolean;
}

/** Beyond so many tasks a front takes seconds, and has to be asked for. */
const FRONT_UNASKED = 40;
/** Beyond so many subgraphs the blast radius takes longer than the grouping. */
const BLAST_MOST = 2_000;

/** `planloom optimize`: the grouping with its objective, its gap to the bound and why, others to choose, all strategies. */
export async function optimize(name: string, options: OptimizeOptions, io: CliIo): Promise<number> {
  const { config } = await loadConfig(options.config, io);
  const { grouping, environment: configured } = configuredGrouping(config);
  const { environment: _, by: configuredBy = "rules", ...optimizing } = grouping;
  const by = options.optimizer === "robust" ? "rules" : (options.optimizer ?? configuredBy);
  const environment: EnvironmentInput = {
    ...configured,
    ...(options.env === undefined ? {} : await readEnvironment(options.env, io)),
    ...(options.executors === undefined ? {} : { executors: options.executors }),
    ...(options.overhead === undefined ? {} : { overheadMs: options.overhead }),
  };
  const { plan: found, source, filledIn } = await findWholePlan(name, io);
  const estimated = options.learned === true ? await withLearned(found, io) : await asWritten(found);
  const { plan, samples } = estimated;
  const sources = withFilledIn(estimated.sources, filledIn);
  const objective = options.objective === undefined ? grouping.objective : readObjective(options.objective);
  const shared = { ...optimizing, environment, ...(objective !== undefined && { objective }) };
  const small = plan.planned_tasks.length <= FRONT_UNASKED && plan.planned_tasks.length > 0;
  const { optimized, front } =
    by === "model"
      ? { optimized: await byModel(plan, shared, { ...options, grouping }, config, io), front: undefined }
      : byRules(
          plan,
          withRobust(await ruleOptions(shared, options, io), options, samples),
          options.front === true || (small && options.json !== true),
        );
  const blastRadius = blastOf(plan, optimized, environment);
  if (options.json === true) {
    const body = {
      ...named(optimized),
      sources,
      ...(blastRadius === undefined ? {} : { blastRadius }),
      ...(front === undefined ? {} : { front: front.map(named) }),
    };
    writeJson(io, body);
    return ExitCode.DONE;
  }
  const style = styleFor(io.stdout, io.env);
  io.stdout.write(headline(fileTitle(plan, source), style));
  io.stdout.write(
    optimizedView(
      optimized,
      { front, blastRadius, weights: objective ?? {}, tasks: plan.planned_tasks.length, sources },
      style,
    ),
  );
  return ExitCode.DONE;
}

/** What was configured for one way of grouping, without what belongs to the other. */
type Shared = Omit<GroupingOptions, "by">;

async function ruleOptions(shared: Shared, options: OptimizeOptions, io: CliIo): Promise<RuleGrouping> {
  return {
    ...shared,
    ...(options.strategy === undefined ? {} : { strategy: await oneStrategy(options.strategy, io) }),
    ...(options.deadline === undefined ? {} : { deadlineMs: options.deadline }),
    ...(options.evaluations === undefined ? {} : { evaluations: options.evaluations }),
  };
}

/** @throws CliError USAGE for a risk that cannot be read, and for `--sigma` and `--risk` beside another strategy */
function withRobust(
  rules: RuleGrouping,
  { optimizer, sigma, risk, strategy }: OptimizeOptions,
  samples: Readonly<Record<string, readonly number[]>>,
): RuleGrouping {
  const isRobust =
    strategy === undefined
      ? optimizer === "robust" || rules.strategy === "robust" || rules.robust !== undefined
      : strategy === "robust";
  if (!isRobust) {
    const beside = sigma !== undefined ? "--sigma" : risk !== undefined ? "--risk" : undefined;
    if (beside === undefined) return rules;
    throw new CliError(CliErrorCode.USAGE, `${beside} has an effect with --optimizer robust alone.`, {
      details: { option: beside },
    });
  }
  const { uncertainty, ...rest } = rules.robust ?? {};
  return {
    ...rules,
    strategy: "robust",
    robust: {
      ...rest,
      ...(risk === undefined ? {} : { risk: readRisk(risk) }),
      uncertainty: {
        ...uncertainty,
        ...(sigma === undefined ? {} : { sigma }),
        samples: { ...samples, ...uncertainty?.samples },
      },
    },
  };
}

function readRisk(text: string): Risk {
  if (text === "mean") return "mean";
  const [, name, level] = /^(quantile|cvar)=(0?\.\d+)$/.exec(text) ?? [];
  if (name === "quantile") return { quantile: Number(level) };
  if (name === "cvar") return { cvar: Number(level) };
  throw new CliError(CliErrorCode.USAGE, `Expected a risk, got ${JSON.stringify(text)}.`, {
    hint: "A risk is mean, quantile=0.95 or cvar=0.9: the mean of the makespan, a quantile, or the mean of its worst tenth.",
    details: { option: "--risk" },
  });
}

function byRules(plan: TaskData, options: RuleGrouping, isFrontWanted: boolean) {
  const optimizer = new ManualOptimizer(options);
  return { optimized: optimizer.optimize(plan), front: isFrontWanted ? optimizer.choices(plan) : undefined };
}

/** @throws CliError CONFIG without a model, USAGE for options that only rules have */
async function byModel(
  plan: TaskData,
  shared: Shared,
  options: OptimizeOptions & { readonly grouping: GroupingOptions },
  config: PlanloomConfig,
  io: CliIo,
): Promise<ModelOptimized> {
  const ofRules = (["strategy", "deadline", "front"] as const).find((option) => options[option] !== undefined);
  if (ofRules !== undefined)
    throw new CliError(CliErrorCode.USAGE, `--${ofRules} has no effect where a model groups (--optimizer model).`, {
      details: { option: `--${ofRules}` },
    });
  const configured = options.grouping.by === "model" ? options.grouping.model : undefined;
  const model = configured ?? (await chooseModel(options, config, io));
  if (model === undefined)
    throw new CliError(CliErrorCode.CONFIG, "--optimizer model needs a model, and none is named.", {
      hint: "Name one: --model NAME with OPENAI_API_KEY or OPENAI_BASE_URL, or `model` in the configuration.",
      details: { option: "--optimizer" },
    });
  return new OptimizationPlanner({ ...shared, model }).optimize(plan, { signal: io.signal });
}

/** What the reader of a file filled in counts as assumed, not as the plan's own. */
function withFilledIn(sources: EstimateSources, filledIn: FilledIn | undefined): ShownSources {
  if (filledIn === undefined) return sources;
  const { tasks, ms: assumedMs } = filledIn;
  return { ...sources, planned: sources.planned - tasks, assumed: sources.assumed + tasks, assumedMs };
}

/** The plan as it is, and of how many tasks it has durations. */
async function asWritten(plan: TaskData): Promise<EstimatedPlan> {
  const { estimatePlan } = await import("planloom/runtime");
  return { ...estimatePlan(plan, { executors: [] }), plan };
}

/** The plan with durations of earlier runs, where it has none of its own. @throws CliError NOT_FOUND without earlier runs */
async function withLearned(plan: TaskData, io: CliIo): Promise<EstimatedPlan> {
  const { estimatePlan, learnBehaviours } = await import("planloom/runtime");
  const behaviours = await withJournal(io, (journal) => learnBehaviours(journal, { plan, signal: io.signal }));
  if (behaviours !== undefined) return estimatePlan(plan, { executors: [], behaviours });
  throw new CliError(CliErrorCode.NOT_FOUND, "There are no earlier runs to learn durations from.", {
    hint: "Run a plan first, or leave --learned out.",
    details: { journal: journalName(io) },
  });
}

async function oneStrategy(name: string, io: CliIo) {
  const [strategy, ...others] = await readStrategies(name, io);
  if (strategy !== undefined && others.length === 0) return strategy;
  throw new CliError(CliErrorCode.USAGE, `Expected one strategy, got ${others.length + 1}: ${name}.`, {
    hint: "portfolio tries several and keeps the best; planloom bench compares them.",
    details: { option: "--strategy" },
  });
}

function blastOf(plan: TaskData, { subgraphs, dispatchOrder }: Prediction, environment: EnvironmentInput) {
  if (subgraphs.length === 0 || subgraphs.length > BLAST_MOST) return undefined;
  return assess(plan, subgraphs, { environment, dispatchOrder, seeds: [], sigmas: [] }).blastRadius;
}

/** Subgraphs with the ids of their tasks: the caller has the plan already. */
function named<Grouped extends Pick<Prediction, "subgraphs">>(grouped: Grouped) {
  const subgraphs = grouped.subgraphs.map((subgraph) => ({
    ...subgraph,
    tasks: subgraph.tasks.map((task) => task.task_id),
  }));
  return { ...grouped, subgraphs };
}
