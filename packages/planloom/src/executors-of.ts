import type { Model } from "@planloom/controller";
import { type Executor, isRecord } from "@planloom/plan";
import {
  type AgentDefinition,
  agentExecutor,
  defineExecutor,
  defineLlm,
  type LlmDefinition,
  llmExecutor,
  type ModelAgent,
  RuntimeError,
  RuntimeErrorCode,
  toolExecutor,
  workflowExecutor,
} from "@planloom/runtime";
import type { PlanloomOptions } from "./planloom-options.ts";
import { defaultLlmDescription, defaultLlmId } from "./stand-in-llm.ts";

export interface WiredExecutors {
  readonly executors: readonly Executor[];
  /** The executors whose resources a planner may choose: all but the one that takes the place of a missing model. */
  readonly plannable: readonly Executor[];
}

/**
 * The executors of an instance: one of each kind for the defined resources, then the user's own.
 * @throws RuntimeError INVALID_DEFINITION; DUPLICATE_RESOURCE for an id that is given twice in one list
 */
export function executorsOf(options: PlanloomOptions): WiredExecutors {
  for (const list of ["tools", "agents", "llms", "workflows"] as const) refuseTwice(list, options[list] ?? []);
  const { executors, plannable } = wiredExecutors(options);
  const { telemetry } = options;
  if (telemetry === undefined) return { executors, plannable };
  const watched = new Map(executors.map((executor) => [executor, telemetry.executor(executor)]));
  return {
    executors: [...watched.values()],
    plannable: plannable.map((executor) => watched.get(executor) ?? executor),
  };
}

/** Of two resources with one id, which of them is called would be left to chance. */
function refuseTwice(list: string, definitions: readonly unknown[]): void {
  const ids = new Set<unknown>();
  for (const definition of definitions) {
    const resource = isRecord(definition) && isRecord(definition.resource) ? definition.resource : definition;
    const id = isRecord(resource) ? resource.id : undefined;
    if (typeof id !== "string") continue;
    if (ids.has(id)) {
      const message = `Expected each id once in \`${list}\`, got ${JSON.stringify(id)} twice.`;
      throw new RuntimeError(RuntimeErrorCode.DUPLICATE_RESOURCE, message, { details: { option: list, id } });
    }
    ids.add(id);
  }
}

function wiredExecutors(options: PlanloomOptions): WiredExecutors {
  const { tools = [], agents = [], workflows = [], model } = options;
  const plannable: Executor[] = [];
  if (tools.length > 0) plannable.push(toolExecutor(tools));
  if (agents.length > 0) plannable.push(agentExecutor(agents.map((agent) => withAgentModel(agent, model))));
  if (workflows.length > 0) plannable.push(workflowExecutor(workflows));
  plannable.push(...(options.executors ?? []).map((executor) => defineExecutor(executor)));

  const llms = (options.llms ?? []).map((llm) => withModel(llm, model));
  if (llms.length > 0 || model !== undefined) {
    plannable.push(llmExecutor(llms.length > 0 ? llms : [defaultLlm(model)]));
    return { executors: plannable, plannable };
  }
  // Without it a plan with llm tasks would be invalid; with it those tasks are skipped, and say that no model is configured.
  const needsStandIn = plannable.every(({ kind }) => kind !== "llm");
  return { executors: needsStandIn ? [...plannable, llmExecutor([defaultLlm(undefined)])] : plannable, plannable };
}

function withAgentModel<Agent extends AgentDefinition | ModelAgent>(agent: Agent, model: Model | undefined): Agent {
  // A value that is not a definition is refused by the executor that it is passed to.
  if (
    model === undefined ||
    !isRecord(agent) ||
    !isRecord(agent.options) ||
    "send" in agent ||
    agent.options.model !== undefined
  )
    return agent;
  return { ...agent, options: { ...agent.options, model } };
}

function withModel(llm: LlmDefinition, model: Model | undefined): LlmDefinition {
  return isRecord(llm) && llm.model === undefined && model !== undefined ? { ...llm, model } : llm;
}

function defaultLlm(model: Model | undefined): LlmDefinition {
  return defineLlm({
    id: defaultLlmId,
    name: model?.name ?? "language model",
    description: defaultLlmDescription,
    ...(model === undefined ? {} : { model }),
  });
}
