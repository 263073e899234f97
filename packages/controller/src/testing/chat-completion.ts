import { isRecord } from "@planloom/plan";
import type { ChatBehaviour, ChatRequest } from "./chat-behaviour.ts";

const created = 1_700_000_000;
const pieceLength = 9;

/** The body of a whole chat completion. */
export function completionBody(request: ChatRequest, behaviour: ChatBehaviour): string {
  const { text, toolCalls } = answerOf(request, behaviour);
  return JSON.stringify({
    id: "chatcmpl-1",
    object: "chat.completion",
    created,
    model: request.body?.model ?? "unknown",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content: toolCalls.length > 0 ? null : text,
          ...(behaviour.reasoning === undefined ? {} : { reasoning_content: behaviour.reasoning }),
          ...(toolCalls.length > 0 ? { tool_calls: toolCalls.map(writeCall) } : {}),
        },
        ...logprobsOf(request, behaviour),
        finish_reason: finishReason(behaviour, toolCalls.length),
      },
    ],
    ...usageOf(behaviour),
  });
}

/** The data of each server-sent event, `[DONE]` included. */
export function completionChunks(request: ChatRequest, behaviour: ChatBehaviour): string[] {
  const { text, toolCalls } = answerOf(request, behaviour);
  const head = { id: "chatcmpl-1", object: "chat.completion.chunk", created, model: request.body?.model ?? "unknown" };
  const chunk = (delta: object, finish_reason: string | null = null, more: object = {}) =>
    JSON.stringify({ ...head, choices: [{ index: 0, delta, ...more, finish_reason }] });
  const chunks = [chunk({ role: "assistant", content: "" })];
  chunks.push(...pieces(behaviour.reasoning ?? "").map((piece) => chunk({ reasoning_content: piece })));
  if (toolCalls.length === 0) {
    chunks.push(
      ...pieces(text).map((piece, at) =>
        chunk({ content: piece }, null, at === 0 ? logprobsOf(request, behaviour) : {}),
      ),
    );
  }
  for (const [index, call] of toolCalls.entries()) {
    chunks.push(chunk({ tool_calls: [{ ...writeCall({ ...call, arguments: "" }, index), index }] }));
    for (const piece of pieces(call.arguments)) {
      chunks.push(chunk({ tool_calls: [{ index, function: { arguments: piece } }] }));
    }
  }
  if (behaviour.endsEarly) {
    return chunks;
  }
  chunks.push(chunk({}, finishReason(behaviour, toolCalls.length)));
  if (isRecord(request.body?.stream_options) && behaviour.usage !== null) {
    chunks.push(JSON.stringify({ ...head, choices: [], ...usageOf(behaviour) }));
  }
  return [...chunks, "[DONE]"];
}

/** A forced tool call gets the text as its arguments. */
export function answerOf(request: ChatRequest, behaviour: ChatBehaviour) {
  const choice = request.body?.tool_choice;
  // Chat completions name it within `function`, the Responses API beside the type.
  const forced = isRecord(choice) ? (isRecord(choice.function) ? choice.function.name : choice.name) : undefined;
  const text = behaviour.text ?? "";
  if (behaviour.toolCalls !== undefined) {
    return { text, toolCalls: behaviour.toolCalls };
  }
  return typeof forced === "string" && !behaviour.ignoresTools
    ? { text: "", toolCalls: [{ name: forced, arguments: text }] }
    : { text, toolCalls: [] };
}

function writeCall(call: { readonly name: string; readonly arguments: string }, index: number) {
  return { id: `call_${index}`, type: "function", function: { name: call.name, arguments: call.arguments } };
}

function finishReason(behaviour: ChatBehaviour, calls: number): string {
  return behaviour.finishReason ?? (calls > 0 ? "tool_calls" : "stop");
}

function logprobsOf({ body }: ChatRequest, { topTokens = [] }: ChatBehaviour) {
  const [first] = topTokens;
  if (first === undefined || body?.logprobs !== true) return {};
  const tokens = topTokens.map(({ text, logprob }) => ({ token: text, logprob, bytes: null }));
  return { logprobs: { content: [{ token: first.text, logprob: first.logprob, bytes: null, top_logprobs: tokens }] } };
}

function usageOf(behaviour: ChatBehaviour) {
  if (behaviour.usage === null) {
    return {};
  }
  const usage = behaviour.usage ?? { prompt_tokens: 7, completion_tokens: 3 };
  return { usage: { ...usage, total_tokens: usage.prompt_tokens + usage.completion_tokens } };
}

/** A text in parts, as it is streamed. */
export function pieces(text: string): string[] {
  const found: string[] = [];
  for (let start = 0; start < text.length; start += pieceLength) {
    found.push(text.slice(start, start + pieceLength));
  }
  return found;
}
