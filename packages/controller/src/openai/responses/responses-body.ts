import { isRecord } from "@planloom/plan";
import type { ModelMessage, ModelRequest, ModelTool, ModelToolCall } from "../../model.ts";
import { withoutThinking } from "../../output/thinking.ts";
import { arrangeMessages } from "../arrange-messages.ts";
import type { OptionalFeature } from "../features.ts";
import { furtherParameters, mostTokens } from "../request-body.ts";
import { sentArguments } from "../sent-arguments.ts";
import type { BodyOptions, RequestBody } from "../wire.ts";

/** Writes one request of the Responses API. */
export function writeResponsesBody(request: ModelRequest, options: BodyOptions): RequestBody {
  const { wanted, refused } = options;
  const used = new Set<OptionalFeature>();
  const { messages, sendsData } = arrangeMessages(request, options, used);
  const parts: Record<string, unknown> = {
    model: options.model,
    input: messages.flatMap((message) => writeItems(message, sendsData)),
  };
  if (request.temperature !== undefined && !refused.has("temperature")) {
    used.add("temperature");
    parts.temperature = request.temperature;
  }
  const maxTokens = mostTokens(request, options);
  if (maxTokens !== undefined) parts.max_output_tokens = maxTokens;
  if (options.stream) {
    used.add("stream");
    parts.stream = true;
  }
  // Thoughts come back encrypted, so that the endpoint need not keep them; models that do not think refuse the field.
  if (!refused.has("include") && options.extraBody.store !== true) {
    used.add("include");
    parts.include = ["reasoning.encrypted_content"];
  }
  const { tools = [] } = request;
  const isWritten = wanted?.tools !== undefined && wanted.form !== "tool";
  if (tools.length > 0 && !isWritten) {
    parts.tools = tools.map(writeTool);
    parts.tool_choice = writeToolChoice(request.toolChoice);
  }
  if (wanted?.form === "json_schema") {
    used.add("json_schema");
    const { name, schema, strict = false } = wanted;
    parts.text = { format: { type: "json_schema", name, schema, strict } };
  }
  if (wanted?.form === "tool") {
    used.add("tool");
    if (wanted.tools === undefined) {
      const { name, schema } = wanted;
      parts.tools = [writeTool({ name, description: "Gives the answer to the user.", parameters: schema })];
      parts.tool_choice = writeToolChoice({ name });
    }
    if (!refused.has("parallel_tool_calls")) {
      used.add("parallel_tool_calls");
      parts.parallel_tool_calls = false;
    }
  }
  const { reasoning_effort: effort, ...further } = { ...options.extraBody, ...furtherParameters(request) };
  const body = {
    store: false,
    ...further,
    ...(effort !== undefined && { reasoning: { ...(isRecord(further.reasoning) ? further.reasoning : {}), effort } }),
    ...parts,
  };
  return { body, used, ...(maxTokens !== undefined && { maxTokens }) };
}

/** Functions of this API are strict unless they say otherwise. */
function writeTool({ name, description, parameters }: ModelTool): unknown {
  return { type: "function", name, description, parameters, strict: false };
}

function writeToolChoice(choice: ModelRequest["toolChoice"]): unknown {
  return typeof choice === "object" ? { type: "function", name: choice.name } : (choice ?? "auto");
}

function writeItems(message: ModelMessage, sendsData: boolean): unknown[] {
  switch (message.role) {
    case "tool":
      return [{ type: "function_call_output", call_id: message.toolCallId ?? "", output: message.content }];
    case "assistant": {
      const { toolCalls = [] } = message;
      const content = withoutThinking(message.content).trim();
      const text = content === "" && toolCalls.length === 0 ? "(no answer)" : content;
      const [first] = toolCalls;
      // The thoughts before a text are those of the first call after it.
      return [
        ...(first === undefined || !sendsData ? [] : thoughtsOf(first)),
        ...(text === "" ? [] : [{ role: "assistant", content: text }]),
        ...toolCalls.flatMap((call) => [
          ...(call === first || !sendsData ? [] : thoughtsOf(call)),
          writeCall(call, sendsData),
        ]),
      ];
    }
    case "system":
    case "user":
      return [{ role: message.role, content: message.content }];
    default:
      return message.role satisfies never;
  }
}

function thoughtsOf({ providerData = {} }: ModelToolCall): unknown[] {
  return Array.isArray(providerData.reasoning) ? providerData.reasoning : [];
}

function writeCall({ id, name, arguments: written, providerData = {} }: ModelToolCall, sendsData: boolean): unknown {
  const item = sendsData && typeof providerData.id === "string" ? { id: providerData.id } : {};
  return { type: "function_call", ...item, call_id: id, name, arguments: sentArguments(written) };
}
