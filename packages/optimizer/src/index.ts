export { type AssessOptions, assess } from "./assess.ts";
export { type BoundName, type LowerBound, type LowerBounds, lowerBounds } from "./bounds/lower-bounds.ts";
export type { DispatchRate } from "./dispatch-rate.ts";
export {
  completeEnvironment,
  type DispatchSemantics,
  type EnvironmentInput,
  type ExecutionEnvironment,
  type ExecutorClass,
  type ExecutorLimits,
  type Prices,
} from "./environment.ts";
export {
  type EnvironmentAspect,
  environmentAspects,
  ignoredAspects,
  simulatedAspects,
} from "./environment-aspects.ts";
export { OptimizerError, OptimizerErrorCode } from "./errors.ts";
export type { OptimizerInput, PlanGraph } from "./input.ts";
export {
  type ModelOptimized,
  type ModelReport,
  OptimizationPlanner,
  type OptimizationPlannerOptions,
} from "./llm/optimization-planner.ts";
export { type OptimizerPrompts, optimizerPrompts } from "./llm/prompts.ts";
export { lowerBound } from "./lower-bound.ts";
export {
  type CandidateFigures,
  type Choice,
  ManualOptimizer,
  type ManualOptimizerOptions,
  type Optimized,
} from "./manual-optimizer.ts";
export { type FullMetrics, type MeasureOptions, measure, type Spread } from "./metrics.ts";
export type { ObjectiveWeights } from "./objective.ts";
export { type ParetoAxis, type ParetoPoint, paretoFront } from "./pareto-front.ts";
export { fromLabels, type Partition } from "./partition.ts";
export { planGraphs, type ShownGrouping } from "./plan-graphs.ts";
export type { Prediction } from "./prediction.ts";
export { type Repaired, repair } from "./repair/repair.ts";
export type { RepairStep } from "./repair/repair-step.ts";
export { robust, robustStrategy } from "./robust/robust.ts";
export type { Risk, RobustOptions, Uncertainty } from "./robust/uncertainty.ts";
export type { SubgraphSchedule } from "./schedule.ts";
export { type Metrics, makespan, type SimulateOptions, simulate } from "./simulate.ts";
export { type AdaptiveDispatch, simulateAdaptive } from "./simulate-adaptive.ts";
export type { Noise } from "./simulate-noise.ts";
export { anytime } from "./strategies/anytime.ts";
export { chainFusion } from "./strategies/chain-fusion.ts";
export { components } from "./strategies/components.ts";
export { exact } from "./strategies/exact.ts";
export { idealDp } from "./strategies/ideal-dp.ts";
export { strategies } from "./strategies/index.ts";
export { levelLpt } from "./strategies/level-lpt.ts";
export { perTask } from "./strategies/per-task.ts";
export { portfolio } from "./strategies/portfolio.ts";
export { randomValid } from "./strategies/random-valid.ts";
export { single } from "./strategies/single.ts";
export type { Grouped, OptimizerStrategy, ProposeOptions, RuleStrategy } from "./strategy.ts";
export { subGraphs } from "./sub-graphs.ts";
export { taskSequence } from "./task-sequence.ts";
export { type Violation, verify } from "./verify.ts";
export type { PartViolation } from "./verify-parts.ts";
