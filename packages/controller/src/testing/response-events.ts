import { isRecord } from "@planloom/plan";
import type { ChatBehaviour, ChatRequest } from "./chat-behaviour.ts";
import { answerOf, pieces } from "./chat-completion.ts";

/** The body of a whole response of the Responses API. */
export function responseBody(request: ChatRequest, behaviour: ChatBehaviour): string {
  return JSON.stringify(responseOf(request, behaviour));
}

/** The data of each server-sent event. The last repeats the whole response, as the API does. */
export function responseEvents(request: ChatRequest, behaviour: ChatBehaviour): string[] {
  const response = responseOf(request, behaviour);
  const { text, toolCalls } = answerOf(request, behaviour);
  const events: object[] = [{ type: "response.created", response: { ...response, status: "in_progress", output: [] } }];
  for (const delta of pieces(behaviour.reasoning ?? "")) events.push({ type: "response.reasoning_text.delta", delta });
  if (toolCalls.length === 0) {
    for (const delta of pieces(text)) events.push({ type: "response.output_text.delta", delta });
  }
  for (const call of toolCalls) {
    for (const delta of pieces(call.arguments)) events.push({ type: "response.function_call_arguments.delta", delta });
  }
  for (const item of response.output) events.push({ type: "response.output_item.done", item });
  if (!behaviour.endsEarly) events.push({ type: `response.${response.status}`, response });
  return events.map((event) => JSON.stringify(event));
}

function responseOf(request: ChatRequest, behaviour: ChatBehaviour) {
  const { text, toolCalls } = answerOf(request, behaviour);
  const { finishReason, reasoning, usage = { prompt_tokens: 7, completion_tokens: 3 } } = behaviour;
  const isCut = finishReason === "length" || finishReason === "content_filter";
  return {
    id: "resp_1",
    object: "response",
    model: isRecord(request.body) ? request.body.model : "unknown",
    status: isCut ? "incomplete" : "completed",
    ...(isCut && { incomplete_details: { reason: finishReason === "length" ? "max_output_tokens" : finishReason } }),
    output: [
      ...(reasoning === undefined
        ? []
        : [{ type: "reasoning", id: "rs_1", content: [{ type: "reasoning_text", text: reasoning }], summary: [] }]),
      ...(toolCalls.length === 0
        ? [{ type: "message", role: "assistant", content: [{ type: "output_text", text }] }]
        : []),
      ...toolCalls.map((call, index) => ({
        type: "function_call",
        id: `fc_${index}`,
        call_id: `call_${index}`,
        ...call,
      })),
    ],
    ...(usage !== null && { usage: { input_tokens: usage.prompt_tokens, output_tokens: usage.completion_tokens } }),
  };
}
