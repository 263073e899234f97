import { isRecord } from "@planloom/plan";
import type { ModelMessage, ModelToolCall, ProviderData } from "../model.ts";

/** Fields of a message that providers want back beside its calls: DeepSeek, OpenRouter, LiteLLM, Gemini. */
const thoughtFields = [
  "reasoning_content",
  "reasoning",
  "reasoning_details",
  "thinking_blocks",
  "extra_content",
] as const;
/** Fields of a call that Planloom writes itself. */
const ownFields: ReadonlySet<string> = new Set(["id", "type", "index", "function", "name", "arguments"]);

/** What of an answer's message is to be sent back with it. Thoughts of an answer that calls nothing are not asked for by anybody. */
export function dataOfMessage(message: Readonly<Record<string, unknown>>, calls: number): ProviderData | undefined {
  if (calls === 0) return undefined;
  return filled(thoughtFields.map((field) => [field, message[field]] as const));
}

/** Likewise of a call: every field that is not one of the protocol's own. */
export function dataOfCall(call: Readonly<Record<string, unknown>>): ProviderData | undefined {
  return filled(Object.entries(call).filter(([field]) => !ownFields.has(field)));
}

function filled(fields: readonly (readonly [string, unknown])[]): ProviderData | undefined {
  const kept = fields.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}

/** Adds what a piece of a stream brings: texts and lists grow, records are merged, everything else is replaced. */
export function mergeData(before: ProviderData | undefined, piece: ProviderData | undefined): ProviderData | undefined {
  if (before === undefined || piece === undefined) return before ?? piece;
  const merged: Record<string, unknown> = { ...before };
  for (const [field, value] of Object.entries(piece)) merged[field] = mergeValue(merged[field], value);
  return merged;
}

function mergeValue(before: unknown, value: unknown): unknown {
  if (typeof before === "string" && typeof value === "string") return before + value;
  if (Array.isArray(before) && Array.isArray(value)) return [...before, ...value];
  if (isRecord(before) && isRecord(value)) return mergeData(before, value);
  return value;
}

/** Whether a conversation has anything to send back. */
export function hasProviderData(messages: readonly ModelMessage[]): boolean {
  return messages.some(
    ({ providerData, toolCalls = [] }) =>
      providerData !== undefined || toolCalls.some((call: ModelToolCall) => call.providerData !== undefined),
  );
}
