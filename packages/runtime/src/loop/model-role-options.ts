import type { Model, ModelMessage, ModelTool } from "@planloom/controller";
import type { OptionChecks } from "@planloom/plan";
import { isModel } from "../check-options.ts";
import { type DelegationOptions, delegationChecks } from "../executors/agents/delegation-options.ts";
import { modelCallChecks } from "../executors/agents/model-call-checks.ts";
import type { ToolLoopOptions } from "../executors/agents/tool-loop.ts";
import type { LoopSurroundings, LoopVariables } from "./prompts.ts";
import type { LoopPlan, LoopSession } from "./session.ts";

export interface ModelRoleOptions {
  /** Asked with tools, one of which it must call. */
  readonly model?: Model | undefined;
  /** How often it is asked, with what was wrong, until its answer can be used; an integer of at least 1. @default 3 */
  readonly attempts?: number | undefined;
  readonly temperature?: number | undefined;
  readonly maxTokens?: number | undefined;
  /** Of one model call, in milliseconds. @default the model's own, else 180_000 */
  readonly modelTimeoutMs?: number | undefined;
  /** Characters of a prompt; results of steps are cut for it, and what it says of tools takes a quarter at most. @default 60_000 */
  readonly maxPromptCharacters?: number | undefined;
}

/**
 * Makes a plan of the arguments of another plan tool: `steps` are the texts to execute next, in order, and every other field is kept in
 * the session. The message of what it throws is sent to the model.
 */
export type ReadPlan = (value: unknown) => LoopPlan | readonly string[];

export interface ModelPlannerOptions extends ModelRoleOptions {
  /** Asked for an answer of the plan tool's form instead of a call; before `model` when both are given. */
  readonly formattedModel?: Model | undefined;
  /** @default planTool */
  readonly planTool?: ModelTool | undefined;
  readonly readPlan?: ReadPlan | undefined;
  /** @default planExecutePrompts.planner */
  messages?(session: LoopSession, surroundings: LoopSurroundings): readonly ModelMessage[];
}

export interface ModelReplannerOptions extends ModelRoleOptions {
  /** @default planTool */
  readonly planTool?: ModelTool | undefined;
  /** The answer is its `response`, or all of its arguments where it has none. @default respondTool */
  readonly respondTool?: ModelTool | undefined;
  readonly readPlan?: ReadPlan | undefined;
  /** @default planExecutePrompts.replanner */
  messages?(
    session: LoopSession,
    variables: LoopVariables & LoopSurroundings & { readonly plan_tool: string; readonly respond_tool: string },
  ): readonly ModelMessage[];
}

export interface ModelExecutorOptions
  extends Pick<
    ToolLoopOptions,
    | "tools"
    | "maxCycles"
    | "maxRepeatedCalls"
    | "maxCallsPerReply"
    | "temperature"
    | "maxTokens"
    | "modelTimeoutMs"
    | "maxPromptCharacters"
  > {
  readonly model?: Model | undefined;
  /** Ids of tools whose success ends the run, with what they gave as the answer. @default none */
  readonly exitTools?: readonly string[] | undefined;
  /** Lets it hand parts of a step to agents with a conversation of their own, as `defineAgent({ delegation })` does. @default not */
  readonly delegation?: DelegationOptions | undefined;
  /** @default planExecutePrompts.executor */
  messages?(
    work: { readonly step: string; readonly session: LoopSession },
    variables: LoopVariables & Pick<LoopSurroundings, "today"> & { readonly step: string },
  ): readonly ModelMessage[];
}

const roleChecks = {
  ...modelCallChecks,
  model: isModel,
  attempts: "count",
} as const satisfies OptionChecks<ModelRoleOptions>;

/** What is checked of each option of a planner that is a model. */
export const modelPlannerChecks = {
  ...roleChecks,
  formattedModel: isModel,
  planTool: "object",
  readPlan: "function",
  messages: "function",
} as const satisfies OptionChecks<ModelPlannerOptions>;

export const modelReplannerChecks = {
  ...roleChecks,
  planTool: "object",
  respondTool: "object",
  readPlan: "function",
  messages: "function",
} as const satisfies OptionChecks<ModelReplannerOptions>;

export const modelExecutorChecks = {
  ...modelCallChecks,
  model: isModel,
  tools: "texts",
  maxCycles: "count",
  maxRepeatedCalls: "count",
  maxCallsPerReply: "count",
  exitTools: "texts",
  delegation: { options: delegationChecks },
  messages: "function",
} as const satisfies OptionChecks<ModelExecutorOptions>;
