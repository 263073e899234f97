import type { ModelReply, ModelRequest } from "planloom/controller";

/** The messages of a request in the form of the GenAI conventions. */
export function messagesOf({ messages }: ModelRequest): object[] {
  return messages.map(({ role, content, toolCalls = [], toolCallId }) => ({
    role,
    parts:
      toolCallId === undefined
        ? [...textPart(content), ...toolCalls.map(callPart)]
        : [{ type: "tool_call_response", id: toolCallId, result: content }],
  }));
}

/** The reply in the same form. */
export function replyOf({ text, toolCalls, finishReason = "stop" }: ModelReply): object[] {
  return [{ role: "assistant", parts: [...textPart(text), ...toolCalls.map(callPart)], finish_reason: finishReason }];
}

const textPart = (content: string): object[] => (content === "" ? [] : [{ type: "text", content }]);

const callPart = ({ id, name, arguments: given }: { id: string; name: string; arguments: string }): object => ({
  type: "tool_call",
  id,
  name,
  arguments: given,
});
