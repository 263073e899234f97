import { dataBlock, readOutput, withoutThinking } from "@planloom/controller";
import type { ExecutionContext } from "@planloom/plan";
import { TaskErrorCode, TaskFailure } from "../../task-error.ts";
import type { ReadSchema } from "../read-schema.ts";
import { type RunScope, scopeOf } from "../scope.ts";
import type { DelegatedPart } from "./delegate.ts";
import type { DelegationOptions } from "./delegation-options.ts";
import { fitInput, inputCharacters } from "./fit-input.ts";
import { givenMessages } from "./given-messages.ts";
import { agentMessages, agentRules, type ModelAgent } from "./model-agent.ts";
import { ReadableOutputs } from "./readable-outputs.ts";
import { defaultPromptCharacters, type ToolLoopOptions, toolLoop } from "./tool-loop.ts";

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
    ...(delegation !== undefined && { delegation: { ...delegation, work: subAgent(settings, options, delegation) } }),
    finish: finisher(resource.id, answer),
  });
}

/** Carries out parts of an agent's work: with its model, limits and instructions, and a conversation of its own. */
function subAgent(
  settings: Pick<ToolLoopOptions, "model">,
  { instructions }: Pick<ModelAgent["options"], "instructions">,
  delegation: DelegationOptions,
): (scope: RunScope, part: DelegatedPart) => Promise<unknown> {
  const work = (scope: RunScope, { task, context, tools, depth }: DelegatedPart): Promise<unknown> => {
    const system = [agentRules, partRules, instructions].filter((text) => text).join("\n\n");
    const known = context === undefined ? "" : `\n\nKnown already:\n${dataBlock("context", context)}`;
    return toolLoop(scope, {
      ...settings,
      messages: [
        { role: "system", content: system },
        { role: "user", content: `${task}${known}` },
      ],
      tools,
      ...(depth > 0 && { delegation: { ...delegation, depth, work } }),
      finish: finisher("sub-agent", undefined),
    });
  };
  return work;
}

const partRules =
  "You carry out one part of a larger task for another agent. It sees your last answer and nothing else of your work: put all that it needs into it.";

/** Of a prompt, what an input may take before it is cut. */
const mostOfPrompt = 0.75;

/** Answers that are empty or do not fit are asked for so many times more. */
const retries = 2;

/**
 * Ends a loop with the model's last words, read by the schema of `answer` where there is one.
 * @param whole what the model's words become without a schema. @default `{ text }`
 */
export function finisher(
  id: string,
  answer: ReadSchema | undefined,
  whole: (text: string) => unknown = (text) => ({ text }),
): ToolLoopOptions["finish"] {
  let left = retries;
  return async ({ text, truncated }) => {
    const { value, problem } = await readAnswer(text, answer, whole);
    if (problem === undefined && !truncated) return { value };
    const what = problem ?? "it was cut off; be shorter";
    if (left-- > 0) return { again: `That cannot be used: ${what}. Answer again, whole.` };
    if (problem === undefined) return { value };
    throw new TaskFailure(TaskErrorCode.OUTPUT_INVALID, `The answer of agent "${id}" cannot be used: ${problem}.`, {
      retryable: false,
    });
  };
}

async function readAnswer(
  text: string,
  answer: ReadSchema | undefined,
  whole: (text: string) => unknown,
): Promise<{ readonly value?: unknown; readonly problem?: string }> {
  if (text.trim() === "") return { problem: "it is empty" };
  if (withoutThinking(text).trim() === "") return { problem: "it has thoughts alone" };
  if (answer === undefined) return { value: whole(text) };
  const { jsonSchema: schema } = answer;
  const expected = schema === undefined ? "JSON" : `JSON that fits ${JSON.stringify(schema)}`;
  const read = readOutput(text, schema === undefined ? {} : { schema });
  const parsed = await answer.parse(read.found ? read.value : text);
  if (parsed.ok) return { value: parsed.value };
  return { problem: `expected ${expected}, but ${read.found ? parsed.message : "no JSON was found"}` };
}
