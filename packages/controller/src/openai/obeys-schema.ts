import { isRecord, type JsonSchema } from "@planloom/plan";
import type { ModelRequest } from "../model.ts";
import { looksLike } from "../output/looks-like.ts";
import { withoutThinking } from "../output/thinking.ts";
import type { RawReply } from "./read-completion.ts";
import type { StructuredMode } from "./request-body.ts";

/**
 * Whether a server did what the mode asks for. A cut or empty answer shows nothing, and counts as obedience: only a
 * server that surely ignores a mode is to be asked in another.
 */
export function obeysSchema(
  reply: RawReply,
  mode: StructuredMode,
  schema: NonNullable<ModelRequest["schema"]>,
): boolean {
  const cutOff = reply.finishReason === "length" || reply.finishReason === "content_filter";
  switch (mode) {
    case "json_schema":
      return cutOff || reply.text.trim() === "" || isJsonLike(withoutThinking(reply.text), schema.schema);
    case "tool":
      return cutOff || reply.text.trim() === "" || answerCall(reply, schema.name) !== undefined;
    case "text":
      return true;
    default:
      return mode satisfies never;
  }
}

/** The arguments of the call that carries the answer. */
export function answerCall(reply: RawReply, name: string): string | undefined {
  return reply.toolCalls.find((call) => call.name === name)?.arguments;
}

function isJsonLike(text: string, schema: JsonSchema): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return !isRecord(schema) || looksLike(value, schema);
  } catch {
    return false;
  }
}
