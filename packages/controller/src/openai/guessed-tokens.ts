import type { ModelReply, ModelRequest } from "../model.ts";
import type { TokenCounts } from "./token-counts.ts";

/** About so many characters are a token, in JSON and in prose. */
const charactersPerToken = 4;

/** What an answer has cost that its endpoint did not count, or not yet, by the characters that were sent and written. */
export function guessedTokens(sent: number, written: number): TokenCounts {
  const [input, output] = [sent, written].map((characters) => Math.ceil(characters / charactersPerToken));
  return { input: input!, output: output! };
}

/** Characters of what a model wrote: its thoughts, which are in the text, and its calls as well. */
export function charactersWritten({ text, toolCalls }: Pick<ModelReply, "text" | "toolCalls">): number {
  return toolCalls.reduce((sum, call) => sum + call.name.length + call.arguments.length, text.length);
}

/** Characters of what a model is asked: the conversation with its calls, the schema and the tools. */
export function charactersAsked({
  messages,
  schema,
  tools,
}: Pick<ModelRequest, "messages" | "schema" | "tools">): number {
  const said = messages.reduce(
    (sum, { content, toolCalls = [] }) => sum + charactersWritten({ text: content, toolCalls }),
    0,
  );
  return said + (schema === undefined ? 0 : lengthOf(schema.schema)) + (tools === undefined ? 0 : lengthOf(tools));
}

function lengthOf(value: unknown): number {
  return JSON.stringify(value)?.length ?? 0;
}
