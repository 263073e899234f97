import { checkOptions } from "../check-options.ts";
import { checkDelegation } from "../executors/agents/delegation-options.ts";
import {
  type ModelExecutorOptions,
  type ModelPlannerOptions,
  type ModelReplannerOptions,
  modelExecutorChecks,
  modelPlannerChecks,
  modelReplannerChecks,
} from "./model-role-options.ts";
import type { LoopExecutor, LoopPlanner, LoopReplanner, RoleContext } from "./roles.ts";

// What reads models' replies is loaded with the first one.
const load = () => import("./model-roles.ts");

/** A planner that is a model: it is made to call the plan tool. Rejects with TaskFailure FAILED without a model. @throws RuntimeError INVALID_OPTION */
export function modelPlanner(options: ModelPlannerOptions): LoopPlanner<RoleContext> {
  checkOptions("`modelPlanner`", options, modelPlannerChecks);
  return async (...given) => (await load()).modelPlanner(options)(...given);
}

/** An executor that is a model with the run's tools. Likewise. */
export function modelExecutor(options: ModelExecutorOptions): LoopExecutor<RoleContext> {
  checkOptions("`modelExecutor`", options, modelExecutorChecks);
  if (options.delegation !== undefined) checkDelegation(options.delegation, "the executor");
  return async (...given) => (await load()).modelExecutor(options)(...given);
}

/** A replanner that is a model: it is made to call the plan tool or the respond tool. Likewise. */
export function modelReplanner(options: ModelReplannerOptions): LoopReplanner<RoleContext> {
  checkOptions("`modelReplanner`", options, modelReplannerChecks);
  return async (...given) => (await load()).modelReplanner(options)(...given);
}
