import type { Optimized, TaskData } from "planloom";
import { assess, type EnvironmentInput, ManualOptimizer, type ManualOptimizerOptions } from "planloom/optimizer";
import { loadConfig } from "../config-file.ts";
import { CliError, CliErrorCode } from "../errors.ts";
import { ExitCode } from "../exit-code.ts";
import { type CliIo, writeJson } from "../io.ts";
import { readEnvironment } from "../options/environment.ts";
import { readObjective } from "../options/objective.ts";
import { readStrategies } from "../options/strategies.ts";
import { findPlan } from "../target.ts";
import { styleFor } from "../terminal/style.ts";
import { headline } from "../views/heading.ts";
import { optimizedView } from "../views/optimized-view.ts";
import { fileTitle } from "../views/plan-title.ts";

export interface OptimizeOptions {
  readonly config?: string | false;
  readonly env?: string;
  readonly executors?: number;
  readonly overhead?: number;
  readonly strategy?: string;
  readonly objective?: string;
  readonly deadline?: number;
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
  const { environment: configured, ...optimizing } = config.optimizer ?? {};
  const environment: EnvironmentInput = {
    ...(config.concurrency === undefined ? {} : { executors: config.concurrency }),
    ...configured,
    ...(options.env === undefined ? {} : await readEnvironment(options.env, io)),
    ...(options.executors === undefined ? {} : { executors: options.executors }),
    ...(options.overhead === undefined ? {} : { overheadMs: options.overhead }),
  };
  const chosen: ManualOptimizerOptions = {
    ...optimizing,
    environment,
    ...(options.strategy === undefined ? {} : { strategy: await oneStrategy(options.strategy, io) }),
    ...(options.deadline === undefined ? {} : { deadlineMs: options.deadline }),
    ...(options.objective === undefined ? {} : { objective: readObjective(options.objective) }),
  };
  const { plan, source } = await findPlan(name, io);
  const optimizer = new ManualOptimizer(chosen);
  const optimized = optimizer.optimize(plan);
  const small = plan.planned_tasks.length <= FRONT_UNASKED && plan.planned_tasks.length > 0;
  const front = options.front === true || (small && options.json !== true) ? optimizer.choices(plan) : undefined;
  const blastRadius = blastOf(plan, optimized, environment);
  if (options.json === true) {
    const body = {
      ...named(optimized),
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
      { front, blastRadius, weights: chosen.objective ?? {}, tasks: plan.planned_tasks.length },
      style,
    ),
  );
  return ExitCode.DONE;
}

async function oneStrategy(name: string, io: CliIo) {
  const [strategy, ...others] = await readStrategies(name, io);
  if (strategy !== undefined && others.length === 0) return strategy;
  throw new CliError(CliErrorCode.USAGE, `Expected one strategy, got ${others.length + 1}: ${name}.`, {
    hint: "portfolio tries several and keeps the best; planloom bench compares them.",
    details: { option: "--strategy" },
  });
}

function blastOf(plan: TaskData, { subgraphs, dispatchOrder }: Optimized, environment: EnvironmentInput) {
  if (subgraphs.length === 0 || subgraphs.length > BLAST_MOST) return undefined;
  return assess(plan, subgraphs, { environment, dispatchOrder, seeds: [], sigmas: [] }).blastRadius;
}

/** Subgraphs with the ids of their tasks: the caller has the plan already. */
function named<Grouped extends Pick<Optimized, "subgraphs">>(grouped: Grouped) {
  const subgraphs = grouped.subgraphs.map((subgraph) => ({
    ...subgraph,
    tasks: subgraph.tasks.map((task) => task.task_id),
  }));
  return { ...grouped, subgraphs };
}
