import type { EnvironmentInput, ManualOptimizerOptions, OptimizationPlannerOptions } from "@planloom/optimizer";
import type { OptionChecks } from "@planloom/plan";
import type { AdaptiveDispatchOptions, Dispatcher } from "@planloom/runtime";
import type { GroupedPlan } from "./grouped-plan.ts";

/** A language model groups, and the rules do where they are better; see `OptimizationPlanner`. */
export interface ModelGrouping extends Omit<OptimizationPlannerOptions, "model"> {
  readonly by: "model";
  /** @default the model of the instance */
  readonly model?: OptimizationPlannerOptions["model"];
}

/** Rules group; see `ManualOptimizer`. */
export interface RuleGrouping extends ManualOptimizerOptions {
  /** @default "rules" */
  readonly by?: "rules";
}

/** Who groups plans into subgraphs, and how. */
export type GroupingOptions = RuleGrouping | ModelGrouping;

/** Where the subgraphs of a run go. */
export interface DispatchOptions {
  /** Executes subgraphs: `childProcessDispatcher(…)`, or one of your own. It is not closed by `close`. */
  readonly to: Dispatcher;
  /** Who groups the plan. @default the `optimizer` of the instance */
  readonly optimizer?: GroupingOptions | undefined;
  /**
   * What is known better than the dispatcher measures it. @default overhead as the dispatcher measured it (`Dispatcher.prepare`), and as many executors as
   * `concurrency` says, else as many as the dispatcher holds, else 4
   */
  readonly environment?: EnvironmentInput | undefined;
  /**
   * Subgraphs that were not dispatched yet are split once durations are not as estimated: `true`, or from when on. Where they are as estimated, nothing changes.
   * @default subgraphs are dispatched as they were grouped
   */
  readonly adaptive?: boolean | Omit<AdaptiveDispatchOptions, "estimatesMs"> | undefined;
}

/** Where the subgraphs of one run go. */
export interface RunDispatchOptions extends DispatchOptions {
  /** The grouping, as `Planloom.optimize` made it of the plan that is run. @default made when the run begins */
  readonly grouped?: GroupedPlan | undefined;
}

/** The names of the options; the optimizers check what is in them, and are not loaded by a program that only plans. */
export const groupingChecks = {
  by: ["rules", "model"],
  environment: "object",
  objective: "object",
  strategy: { either: ["text", { method: "propose", expected: "a strategy ({ name, propose })" }] },
  seed: "number",
  deadlineMs: "own",
  evaluations: "positive",
  robust: "object",
  model: { method: "generate", expected: "a model (openaiModel(…), or an object with `generate`)" },
  mode: ["groups", "estimates"],
  maxRegret: "number",
  feedback: "boolean",
  maxTasks: "nonNegative",
  temperature: "nonNegative",
  maxTokens: "positive",
  prompts: "object",
  onCall: "function",
  now: "function",
} as const satisfies OptionChecks<GroupingOptions>;

export const dispatchChecks = {
  to: { required: { method: "dispatch", expected: "a dispatcher ({ name, dispatch })" } },
  optimizer: { options: groupingChecks },
  environment: "object",
  adaptive: { either: ["boolean", { options: { toleranceMs: "nonNegative", patienceMs: "nonNegative" } }] },
} as const satisfies OptionChecks<DispatchOptions>;

export const runDispatchChecks = {
  ...dispatchChecks,
  grouped: "object",
} as const satisfies OptionChecks<RunDispatchOptions>;
