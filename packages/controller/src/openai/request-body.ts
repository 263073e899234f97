import type { ChatCompletionCreateParams, ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { ModelMessage, ModelRequest } from "../model.ts";
import { schemaInWords } from "../prompts/schema-in-words.ts";
import type { OptionalFeature } from "./features.ts";

/** How structured output is asked for. */
export type StructuredMode = "json_schema" | "tool" | "text";

export interface RequestBody {
  readonly body: ChatCompletionCreateParams;
  /** What a server could refuse of it. */
  readonly used: ReadonlySet<OptionalFeature>;
}

export interface BodyOptions {
  readonly model: string;
  /** Absent when the request has no schema. */
  readonly mode?: StructuredMode;
  readonly stream: boolean;
  readonly refused: ReadonlySet<OptionalFeature>;
  readonly extraBody: Readonly<Record<string, unknown>>;
}

/** Writes one chat-completions request. */
export function writeRequestBody(request: ModelRequest, options: BodyOptions): RequestBody {
  const { mode, refused } = options;
  const used = new Set<OptionalFeature>();
  const parts: Record<string, unknown> = {
    model: options.model,
    messages: writeMessages(request, mode),
  };
  if (request.temperature !== undefined && !refused.has("temperature")) {
    used.add("temperature");
    parts.temperature = request.temperature;
  }
  if (request.maxTokens !== undefined) {
    // Reasoning models of OpenAI know only the second name, most other servers only the first.
    const name = refused.has("max_tokens") ? "max_completion_tokens" : "max_tokens";
    if (name === "max_tokens") {
      used.add("max_tokens");
    }
    parts[name] = request.maxTokens;
  }
  if (options.stream) {
    parts.stream = true;
    if (!refused.has("stream_options")) {
      used.add("stream_options");
      parts.stream_options = { include_usage: true };
    }
  }
  if (request.tools !== undefined && request.tools.length > 0) {
    parts.tools = request.tools.map((tool) => ({ type: "function", function: { ...tool } }));
    parts.tool_choice = writeToolChoice(request.toolChoice);
  }
  if (request.schema !== undefined && mode === "json_schema") {
    used.add("json_schema");
    const { name, schema, strict = false } = request.schema;
    parts.response_format = { type: "json_schema", json_schema: { name, schema, strict } };
  }
  if (request.schema !== undefined && mode === "tool") {
    used.add("tool");
    const { name, schema } = request.schema;
    parts.tools = [
      { type: "function", function: { name, description: "Gives the answer to the user.", parameters: schema } },
    ];
    parts.tool_choice = writeToolChoice({ name });
  }
  const body = {
    ...options.extraBody,
    ...furtherParameters(request),
    ...parts,
  } as unknown as ChatCompletionCreateParams;
  return { body, used };
}

/** What makes up the conversation and the form of its answer is not a parameter of the endpoint. */
const ownParts = new Set("messages tools tool_choice response_format stream stream_options n".split(" "));

function furtherParameters({ extra = {} }: ModelRequest): Record<string, unknown> {
  return Object.fromEntries(Object.entries(extra).filter(([name]) => !ownParts.has(name)));
}

function writeToolChoice(choice: ModelRequest["toolChoice"]): unknown {
  return typeof choice === "object" ? { type: "function", function: { name: choice.name } } : (choice ?? "auto");
}

function writeMessages(request: ModelRequest, mode: StructuredMode | undefined): ChatCompletionMessageParam[] {
  const messages = request.messages.map(writeMessage);
  if (request.schema === undefined || mode !== "text") {
    return messages;
  }
  const words = schemaInWords(request.schema.schema);
  const [first, ...rest] = messages;
  // One system message at the start: several, or one later on, are refused by many chat templates.
  return first?.role === "system"
    ? [{ role: "system", content: `${String(first.content)}\n\n${words}` }, ...rest]
    : [{ role: "system", content: words }, ...messages];
}

function writeMessage(message: ModelMessage): ChatCompletionMessageParam {
  switch (message.role) {
    case "tool":
      return { role: "tool", content: message.content, tool_call_id: message.toolCallId ?? "" };
    case "assistant":
      return message.toolCalls === undefined || message.toolCalls.length === 0
        ? { role: "assistant", content: message.content }
        : {
            role: "assistant",
            content: message.content,
            tool_calls: message.toolCalls.map((call) => ({
              id: call.id,
              type: "function",
              function: { name: call.name, arguments: call.arguments },
            })),
          };
    case "system":
    case "user":
      return { role: message.role, content: message.content };
    default:
      return message.role satisfies never;
  }
}
