import type { Model } from "@planloom/controller";
import type { OptionChecks } from "@planloom/plan";
import { isModel } from "../check-options.ts";
import { invalid } from "../invalid-option.ts";
import type { LoopClock } from "./loop-time.ts";
import {
  type ModelExecutorOptions,
  type ModelPlannerOptions,
  type ModelReplannerOptions,
  modelExecutorChecks,
  modelPlannerChecks,
  modelReplannerChecks,
} from "./model-role-options.ts";
import type { LoopExecutor, LoopPlanner, LoopReplanner } from "./roles.ts";

/** When the replanner is asked. */
export type ReplanWhen = "always" | "failure" | { readonly every: number };

/** The names of Eino's plan-execute and its limits. */
export const planExecuteDefaults = {
  maxRounds: 10,
  maxCycles: 20,
  agentNames: {
    planner: "planner",
    executor: "executor",
    replanner: "replanner",
    loop: "execute_replan",
    outer: "plan_execute_replan",
  },
} as const;

export interface LoopOptions extends LoopClock {
  /** The default for those of the three roles that have no model of their own. */
  readonly model?: Model | undefined;
  /** A function in place of the model, or how the model is asked. */
  readonly planner?: LoopPlanner | ModelPlannerOptions | undefined;
  readonly executor?: LoopExecutor | ModelExecutorOptions | undefined;
  readonly replanner?: LoopReplanner | ModelReplannerOptions | undefined;
  /** Rounds of executing and replanning, an integer; 0, a negative number or unset is the default. @default 10 */
  readonly maxRounds?: number | undefined;
  /**
   * `always`: a round executes the steps that wait for nothing (one step, where the plan says nothing of dependencies), then the
   * replanner is asked, as Eino's plan-execute does. `{ every: k }`: after k steps. `failure`: the whole plan is executed, and the
   * replanner asked only when a step failed; otherwise what the last steps gave is the answer. @default "always"
   */
  readonly replanWhen?: ReplanWhen | undefined;
  /** `drop`: a step that was executed with success is left out when it is planned again. @default "drop" */
  readonly repeatedSteps?: "drop" | "run" | undefined;
  /** How often a step that fails is executed in all, as often as it is planned again. @default 3 */
  readonly maxStepAttempts?: number | undefined;
}

/** What is checked of each before anything starts; `readLoopSettings` checks the rest. */
export const loopOptionChecks = {
  model: isModel,
  planner: { either: ["function", { options: modelPlannerChecks }] },
  executor: { either: ["function", { options: modelExecutorChecks }] },
  replanner: { either: ["function", { options: modelReplannerChecks }] },
  maxRounds: "number",
  replanWhen: { either: [["always", "failure"], { options: { every: "own" } }] },
  repeatedSteps: ["drop", "run"],
  maxStepAttempts: "count",
  now: { either: ["time", "function"] },
  timeZone: "text",
} as const satisfies OptionChecks<LoopOptions>;

export interface LoopSettings {
  readonly maxRounds: number;
  readonly replanWhen: ReplanWhen;
  readonly drop: boolean;
  readonly maxStepAttempts: number;
}

/** @throws RuntimeError INVALID_OPTION */
export function readLoopSettings(options: LoopOptions): LoopSettings {
  const { replanWhen = "always", repeatedSteps = "drop", maxStepAttempts = 3 } = options;
  const { maxRounds: given = 0 } = options;
  if (!Number.isInteger(given)) throw invalid("maxRounds", "an integer (below 1 for the default)", given);
  const maxRounds = given < 1 ? planExecuteDefaults.maxRounds : given;
  const every = typeof replanWhen === "object" && replanWhen !== null ? replanWhen.every : undefined;
  const known =
    replanWhen === "always" || replanWhen === "failure" || (Number.isInteger(every) && (every as number) >= 1);
  if (!known) throw invalid("replanWhen", '"always", "failure" or { every: an integer of at least 1 }', replanWhen);
  if (repeatedSteps !== "drop" && repeatedSteps !== "run")
    throw invalid("repeatedSteps", '"drop" or "run"', repeatedSteps);
  if (!Number.isInteger(maxStepAttempts) || maxStepAttempts < 1)
    throw invalid("maxStepAttempts", "an integer of at least 1", maxStepAttempts);
  return { maxRounds, replanWhen, drop: repeatedSteps === "drop", maxStepAttempts };
}
