import type { ModelReply, ModelRequest } from "../model.ts";
import type { TokenCounts } from "./token-counts.ts";

/** About so many characters are a token, in JSON and in prose. */
const charactersPerToken = 4;

/** What an answer has cost that its endpoint did not count, or not yet, by the characters that were sent and written. */
export function guessedTokens(sent: number, written: number): TokenCounts {
  const [input, output] = [sent, written].map((characters) => Math.ceil(characters / charactersPerToken));
  return { input: input!, output: output! };
}

/** Characters of what a model wrote: its thoughts, which are in the text, and its calls as well. A model of the user's own may write anything. */
export function charactersWritten({ text, toolCalls }: Pick<ModelReply, "text" | "toolCalls">): number {
  return toolCalls.reduce((sum, call) => sum + lengthOf(call?.name) + lengthOf(call?.arguments), lengthOf(text));
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
  return said + lengthOf(schema?.schema) + lengthOf(tools);
}

function lengthOf(value: unknown): number {
  if (value === undefined) return 0;
  return typeof value === "string" ? value.length : (JSON.stringify(value)?.length ?? 0);
}
