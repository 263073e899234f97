// Sending subgraphs to workers: the option `dispatch`, what a run says of its grouping, and the module of a worker process.
export type {
  DispatchOptions,
  GroupingOptions,
  ModelGrouping,
  RuleGrouping,
  RunDispatchOptions,
} from "../grouping/dispatch-options.ts";
export type { GroupedPlan } from "../grouping/grouped-plan.ts";
export type { PlanGroupedEvent, RunGrouping } from "../grouping/run-grouping.ts";
export { type WorkerParts, workerLimits, workerParts } from "../worker-parts.ts";
