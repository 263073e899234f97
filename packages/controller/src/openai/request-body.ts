import type { ModelMessage, ModelRequest, ProviderData } from "../model.ts";
import { arrangeMessages } from "./arrange-messages.ts";
import type { OptionalFeature } from "./features.ts";
import { joinReasoning, readReasoning } from "./read-completion.ts";
import { sentArguments } from "./sent-arguments.ts";
import type { BodyOptions, RequestBody } from "./wire.ts";

/** Writes one chat-completions request. */
export function writeRequestBody(request: ModelRequest, options: BodyOptions): RequestBody {
  const { wanted, refused } = options;
  const used = new Set<OptionalFeature>();
  const parts: Record<string, unknown> = {
    model: options.model,
    messages: writeMessages(request, options, used),
  };
  if (request.temperature !== undefined && !refused.has("temperature")) {
    used.add("temperature");
    parts.temperature = request.temperature;
  }
  if (request.topTokens !== undefined && !refused.has("logprobs")) {
    used.add("logprobs");
    parts.logprobs = true;
    parts.top_logprobs = request.topTokens;
  }
  const maxTokens = mostTokens(request, options);
  if (maxTokens !== undefined) {
    // Reasoning models of OpenAI know only the second name, most other servers only the first.
    const name = refused.has("max_tokens") ? "max_completion_tokens" : "max_tokens";
    if (name === "max_tokens") {
      used.add("max_tokens");
    }
    parts[name] = maxTokens;
  }
  if (options.stream) {
    used.add("stream");
    parts.stream = true;
    if (!refused.has("stream_options")) {
      used.add("stream_options");
      parts.stream_options = { include_usage: true };
    }
  }
  const { tools = [] } = request;
  const isWritten = wanted?.tools !== undefined && wanted.form !== "tool";
  if (tools.length > 0 && !isWritten) {
    parts.tools = tools.map((tool) => ({ type: "function", function: { ...tool } }));
    parts.tool_choice = writeToolChoice(request.toolChoice);
  }
  if (wanted?.form === "json_schema") {
    used.add("json_schema");
    const { name, schema, strict = false } = wanted;
    parts.response_format = { type: "json_schema", json_schema: { name, schema, strict } };
  }
  if (wanted?.form === "tool") {
    used.add("tool");
    if (wanted.tools === undefined) {
      const { name, schema } = wanted;
      parts.tools = [
        { type: "function", function: { name, description: "Gives the answer to the user.", parameters: schema } },
      ];
      parts.tool_choice = writeToolChoice({ name });
    }
    // One answer is wanted: a second call would be a second one.
    if (!refused.has("parallel_tool_calls")) {
      used.add("parallel_tool_calls");
      parts.parallel_tool_calls = false;
    }
  }
  const body = { ...options.extraBody, ...furtherParameters(request), ...parts };
  return { body, used, ...(maxTokens !== undefined && { maxTokens }) };
}

/** What makes up the conversation and the form of its answer is not a parameter of the endpoint. */
const ownParts = new Set("messages input tools tool_choice response_format stream stream_options n".split(" "));

/** The most tokens that an answer may have; `undefined` where the endpoint decides. */
export function mostTokens(request: ModelRequest, options: BodyOptions): number | undefined {
  const limits = [request.maxTokens, options.maxTokens].filter((limit) => limit !== undefined);
  const most = Math.min(...limits);
  return most === Number.POSITIVE_INFINITY ? undefined : most;
}

export function furtherParameters({ extra = {} }: ModelRequest): Record<string, unknown> {
  return Object.fromEntries(Object.entries(extra).filter(([name]) => !ownParts.has(name)));
}

function writeToolChoice(choice: ModelRequest["toolChoice"]): unknown {
  return typeof choice === "object" ? { type: "function", function: { name: choice.name } } : (choice ?? "auto");
}

function writeMessages(request: ModelRequest, options: BodyOptions, used: Set<OptionalFeature>): unknown[] {
  const { messages, sendsData } = arrangeMessages(request, options, used);
  return messages.map((message) => writeMessage(message, sendsData));
}

/** In place of an answer that said nothing; some servers refuse an empty text. */
const nothing = "(no answer)";

function writeMessage(message: ModelMessage, sendsData: boolean): unknown {
  switch (message.role) {
    case "tool":
      return { role: "tool", content: message.content, tool_call_id: message.toolCallId ?? "" };
    case "assistant": {
      const { toolCalls = [], providerData } = message;
      const data = sendsData ? (providerData ?? {}) : {};
      const content = withoutThought(message.content, providerData);
      if (toolCalls.length === 0) return { ...data, role: "assistant", content: content === "" ? nothing : content };
      return {
        ...data,
        role: "assistant",
        content: content === "" ? null : content,
        tool_calls: toolCalls.map((call) => ({
          ...(sendsData ? call.providerData : {}),
          id: call.id,
          type: "function",
          function: { name: call.name, arguments: sentArguments(call.arguments) },
        })),
      };
    }
    case "system":
    case "user":
      return { role: message.role, content: message.content };
    default:
      return message.role satisfies never;
  }
}

/** A thought goes back in the field that it came in, and not as a part of the text as well. */
function withoutThought(content: string, providerData: ProviderData | undefined): string {
  const thought = providerData === undefined ? "" : joinReasoning(readReasoning(providerData), "");
  return thought !== "" && content.startsWith(thought) ? content.slice(thought.length) : content;
}
