import type { ExecutionContext } from "@planloom/plan";
import { TaskErrorCode, TaskFailure } from "../../task-error.ts";
import { scopeOf } from "../scope.ts";
import { finisher } from "./finisher.ts";
import { fitInput, inputCharacters } from "./fit-input.ts";
import { givenMessages } from "./given-messages.ts";
import { agentMessages, type ModelAgent } from "./model-agent.ts";
import { ReadableOutputs } from "./readable-outputs.ts";
import { subAgent } from "./sub-agent.ts";
import { defaultPromptCharacters, toolLoop } from "./tool-loop.ts";

/**
 * Executes one agent task. Output: `{ text }`, or what the schema of `output` reads from the answer.
 * @throws TaskFailure as `toolLoop`; FAILED outside a run, where there are no tools
 */
export async function runModelAgent(
  { options, answer, resource }: ModelAgent,
  input: Record<string, unknown>,
  context: ExecutionContext,
): Promise<unknown> {
  const scope = scopeOf(context);
  const { model } = options;
  if (scope === undefined || model === undefined) {
    const why = model === undefined ? "has no model" : "can only be executed within a run";
    throw new TaskFailure(TaskErrorCode.FAILED, `Agent "${resource.id}" ${why}.`, { retryable: false });
  }
  const {
    tools,
    maxCycles,
    maxRepeatedCalls,
    maxCallsPerReply,
    maxPromptCharacters = defaultPromptCharacters,
    temperature,
    maxTokens,
    modelTimeoutMs,
    delegation,
  } = options;
  const limits = {
    maxCycles,
    maxRepeatedCalls,
    maxCallsPerReply,
    maxPromptCharacters,
    temperature,
    maxTokens,
    modelTimeoutMs,
  };
  const outputs = new ReadableOutputs();
  const isLong = inputCharacters(input) > maxPromptCharacters * mostOfPrompt;
  // Half is left to tools and what they give.
  const fitted = isLong ? fitInput(input, Math.floor(maxPromptCharacters / 2), outputs) : input;
  const messages = options.messages
    ? givenMessages(() => options.messages?.(input, context))
    : agentMessages(fitted, context, options.instructions);
  const settings = { model, ...limits };
  return toolLoop(scope, {
    ...settings,
    messages,
    tools,
    outputs,
    ...(delegation !== undefined && {
      delegation: { ...delegation, work: subAgent(settings, delegation, options.instructions) },
    }),
    finish: finisher(resource.id, answer),
  });
}

/** How much of a prompt an input may take before it is cut. */
const mostOfPrompt = 0.75;
