import { readOutput, withoutThinking } from "@planloom/controller";
import type { ExecutionContext } from "@planloom/plan";
import { TaskErrorCode, TaskFailure } from "../../task-error.ts";
import type { ReadSchema } from "../read-schema.ts";
import { scopeOf } from "../scope.ts";
import { givenMessages } from "./given-messages.ts";
import { agentMessages, type ModelAgent } from "./model-agent.ts";
import { type ToolLoopOptions, toolLoop } from "./tool-loop.ts";

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
  const messages = options.messages
    ? givenMessages(() => options.messages?.(input, context))
    : agentMessages(input, context, options.instructions);
  const {
    tools,
    maxCycles,
    maxRepeatedCalls,
    maxCallsPerReply,
    maxPromptCharacters,
    temperature,
    maxTokens,
    modelTimeoutMs,
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
  return toolLoop(scope, { model, messages, tools, ...limits, finish: finisher(resource.id, answer) });
}

/** Answers that are empty or do not fit are asked for so many times more. */
const retries = 2;

/**
 * Ends a loop with the model's last words, read by the schema of `answer` where there is one.
 * @param whole what becomes of the words where there is none. @default `{ text }`
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
