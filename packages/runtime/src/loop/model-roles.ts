import { controllerPrompts, type Model, type ModelTool } from "@planloom/controller";
import { callNow, isCallbackError, isRecord, thrownText } from "@planloom/plan";
import { finisher } from "../executors/agents/finisher.ts";
import { givenMessages } from "../executors/agents/given-messages.ts";
import { ReadableOutputs } from "../executors/agents/readable-outputs.ts";
import { subAgent } from "../executors/agents/sub-agent.ts";
import { type CallResult, type LoopEnd, toolLoop } from "../executors/agents/tool-loop.ts";
import { scopeOf } from "../executors/scope.ts";
import { TaskErrorCode, TaskFailure } from "../task-error.ts";
import { chooseWithModel, type ReadChoice } from "./choose-with-model.ts";
import type {
  ModelExecutorOptions,
  ModelPlannerOptions,
  ModelReplannerOptions,
  ReadPlan,
} from "./model-role-options.ts";
import { planTool as defaultPlanTool, respondTool as defaultRespondTool, readLoopPlan } from "./plan-tools.ts";
import { type LoopSurroundings, planExecutePrompts } from "./prompts.ts";
import { type LoopExecutor, LoopExit, type LoopPlanner, type LoopReplanner, type RoleContext } from "./roles.ts";
import type { LoopPlan, LoopSession } from "./session.ts";
import { loopVariables } from "./session-text.ts";
import { toolsText } from "./tools-text.ts";
import { inputText } from "./user-input.ts";

const defaultPromptCharacters = 60_000;

/** A planner that is a model. @throws TaskFailure FAILED without a model */
export function modelPlanner(options: ModelPlannerOptions): LoopPlanner<RoleContext> {
  const { formattedModel, planTool = defaultPlanTool, readPlan } = options;
  const model = formattedModel ?? needModel(options.model, "planner");
  return (session, context) => {
    const surroundings = surroundingsOf(session, context, options.maxPromptCharacters);
    return chooseWithModel(
      model,
      options,
      {
        agent: "planner",
        messages: options.messages
          ? givenMessages(() => options.messages?.(session, surroundings))
          : planExecutePrompts.planner({ input: session.UserInput, ...surroundings }),
        tools: [planTool],
        formatted: formattedModel !== undefined,
        read: ({ value }) => readPlanArguments(value, planTool, readPlan, context),
      },
      context,
    );
  };
}

/** A replanner that is a model: it calls one of the two tools. @throws TaskFailure FAILED without a model */
export function modelReplanner(options: ModelReplannerOptions): LoopReplanner<RoleContext> {
  const { planTool = defaultPlanTool, respondTool = defaultRespondTool, readPlan } = options;
  const model = needModel(options.model, "replanner");
  return async (session, context) => {
    const outputs = new ReadableOutputs();
    const { maxPromptCharacters = defaultPromptCharacters } = options;
    const surroundings = surroundingsOf(session, context, maxPromptCharacters);
    const texts = loopVariables(session, maxPromptCharacters - surroundings.tools.length, outputs);
    const variables = { ...texts, ...surroundings, plan_tool: planTool.name, respond_tool: respondTool.name };
    const choice = await chooseWithModel<{ plan: LoopPlan } | { respond: unknown }>(
      model,
      options,
      {
        agent: "replanner",
        messages: options.messages
          ? givenMessages(() => options.messages?.(session, variables))
          : planExecutePrompts.replanner(variables),
        tools: [planTool, respondTool],
        formatted: false,
        outputs,
        read({ tool, value }) {
          if (tool === respondTool) return { value: { respond: isRecord(value) ? (value.response ?? value) : value } };
          const read = readPlanArguments(value, planTool, readPlan, context);
          return "issue" in read ? read : { value: { plan: read.value } };
        },
      },
      context,
    );
    if ("respond" in choice) {
      context.emit?.({
        type: "loop-action",
        agent: "replanner",
        action: { breakLoop: { from: "replanner", done: false } },
      });
    }
    return choice;
  };
}

/** An executor that is a model with the run's tools. @throws TaskFailure FAILED without a model */
export function modelExecutor(options: ModelExecutorOptions): LoopExecutor<RoleContext> {
  const {
    tools,
    maxCycles,
    maxRepeatedCalls,
    maxCallsPerReply,
    temperature,
    maxTokens,
    modelTimeoutMs,
    exitTools = [],
    delegation,
  } = options;
  const { maxPromptCharacters = defaultPromptCharacters } = options;
  const model = needModel(options.model, "executor");
  return async (work, context) => {
    const scope = context.execution && scopeOf(context.execution);
    if (scope === undefined) {
      const message = "An executor that is a model can only work within a run, which has the tools.";
      throw new TaskFailure(TaskErrorCode.FAILED, message, { retryable: false });
    }
    const { step, session } = work;
    const outputs = new ReadableOutputs();
    // Half is left to what the tools give.
    const today = controllerPrompts.today(context.time, `${step}\n${inputText(session.UserInput)}`);
    const variables = { ...loopVariables(session, Math.floor(maxPromptCharacters / 2), outputs), step, today };
    const exits = new Set(exitTools.flatMap((id) => scope.registry.find("tool", id)?.resource.id ?? []));
    const settings = {
      model,
      maxCycles,
      maxRepeatedCalls,
      maxCallsPerReply,
      temperature,
      maxTokens,
      modelTimeoutMs,
      maxPromptCharacters,
    };
    return toolLoop(scope, {
      ...settings,
      messages: options.messages
        ? givenMessages(() => options.messages?.(work, variables))
        : planExecutePrompts.executor(variables),
      tools,
      outputs,
      ...(delegation !== undefined && { delegation: { ...delegation, work: subAgent(settings, delegation) } }),
      onDelta: (text) => context.emit?.({ type: "loop-delta", agent: "executor", text, step }),
      finish: finisher("executor", undefined, (text) => text),
      stop: (results) => exitOf(results, exits),
    });
  };
}

/** What the prompts of a planner and a replanner say of the tools and of the day; an executor has the tools. Empty outside a loop. */
function surroundingsOf(
  session: LoopSession,
  { time, tools = [] }: RoleContext,
  maxPromptCharacters = defaultPromptCharacters,
): LoopSurroundings & { readonly tools: string } {
  return {
    tools: toolsText(tools, Math.floor(maxPromptCharacters / 4)),
    today: controllerPrompts.today(time, inputText(session.UserInput)),
  };
}

function exitOf(results: readonly CallResult[], exits: ReadonlySet<string>): LoopEnd | undefined {
  for (const result of results) {
    if (result.ok && result.tool !== undefined && exits.has(result.tool.id))
      return { value: new LoopExit(result.output) };
  }
  return undefined;
}

function readPlanArguments(
  value: unknown,
  planTool: ModelTool,
  readPlan: ReadPlan | undefined,
  { check }: RoleContext,
): ReadChoice<LoopPlan> {
  const tool = planTool.name;
  // What a model adds to the arguments of the usual tool was not asked for.
  let given: unknown = planTool === defaultPlanTool && readPlan === undefined ? usualFields(value) : value;
  try {
    if (readPlan !== undefined) given = callNow("readPlan", () => readPlan(value), "a plan", isAnything);
  } catch (error) {
    // That it gives a promise is nothing that a model could mend.
    if (!isCallbackError(error) || error.details.problem !== "threw") throw error;
    return { issue: `unmarshal ${tool} error: ${thrownText(error.cause)}` };
  }
  const read = readLoopPlan(given);
  if ("issue" in read) return { issue: `unmarshal ${tool} error: ${read.issue}` };
  const issue = check?.(read.plan);
  return issue === undefined ? { value: read.plan } : { issue };
}

function usualFields(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { steps, depends_on } = value;
  return { steps, depends_on };
}

function isAnything(_value: unknown): _value is unknown {
  return true;
}

function needModel(model: Model | undefined, role: string): Model {
  if (model !== undefined) return model;
  const message = `The ${role} has no model. Give \`model\`, or a function in its place.`;
  throw new TaskFailure(TaskErrorCode.FAILED, message, { retryable: false });
}
