import type { ChatCompletionCreateParams, ChatCompletionMessageParam } from "openai/resources/chat/completions";
import type { ModelMessage, ModelRequest, ProviderData } from "../model.ts";
import { schemaInWords } from "../prompts/schema-in-words.ts";
import type { OptionalFeature } from "./features.ts";
import { callInWords, type StructuredMode, type WantedAnswer } from "./forms.ts";
import { hasProviderData } from "./provider-data.ts";
import { joinReasoning, readReasoning } from "./read-completion.ts";

export interface RequestBody {
  readonly body: ChatCompletionCreateParams;
  /** What a server could refuse of it. */
  readonly used: ReadonlySet<OptionalFeature>;
  /** The most tokens that the answer may have; absent where the endpoint decides. */
  readonly maxTokens?: number;
}

export interface BodyOptions {
  readonly model: string;
  /** What the answer must be, and how that is asked for. */
  readonly wanted?: WantedAnswer & { readonly form: StructuredMode };
  readonly stream: boolean;
  readonly refused: ReadonlySet<OptionalFeature>;
  /** The most tokens that the endpoint, or the user, lets an answer have. @default no limit */
  readonly maxTokens?: number;
  readonly extraBody: Readonly<Record<string, unknown>>;
}

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
  const maxTokens = Math.min(
    request.maxTokens ?? Number.POSITIVE_INFINITY,
    options.maxTokens ?? Number.POSITIVE_INFINITY,
  );
  const isLimited = request.maxTokens !== undefined || maxTokens !== Number.POSITIVE_INFINITY;
  if (isLimited) {
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
  const body = {
    ...options.extraBody,
    ...furtherParameters(request),
    ...parts,
  } as unknown as ChatCompletionCreateParams;
  return { body, used, ...(isLimited && { maxTokens }) };
}

/** What makes up the conversation and the form of its answer is not a parameter of the endpoint. */
const ownParts = new Set("messages tools tool_choice response_format stream stream_options n".split(" "));

function furtherParameters({ extra = {} }: ModelRequest): Record<string, unknown> {
  return Object.fromEntries(Object.entries(extra).filter(([name]) => !ownParts.has(name)));
}

function writeToolChoice(choice: ModelRequest["toolChoice"]): unknown {
  return typeof choice === "object" ? { type: "function", function: { name: choice.name } } : (choice ?? "auto");
}

function writeMessages(
  request: ModelRequest,
  { wanted, refused }: BodyOptions,
  used: Set<OptionalFeature>,
): ChatCompletionMessageParam[] {
  const sendsData = hasProviderData(request.messages) && !refused.has("provider_data");
  if (sendsData) used.add("provider_data");
  const words = wordsFor(wanted);
  const messages = words === "" ? request.messages : withSystem(request.messages, words);
  const isRefused = refused.has("system");
  if (!isRefused && messages.some(({ role }) => role === "system")) used.add("system");
  return (isRefused ? withoutSystem(messages) : messages).map((message) => writeMessage(message, sendsData));
}

/** What the form of the request does not say by itself. */
function wordsFor(wanted: BodyOptions["wanted"]): string {
  if (wanted === undefined || wanted.form === "tool") return "";
  const call = wanted.tools === undefined ? "" : callInWords(wanted.tools);
  const schema = wanted.form === "text" ? schemaInWords(wanted.schema) : "";
  return [call, schema].filter((text) => text !== "").join("\n\n");
}

/** One system message at the start: several, or one later on, are refused by many chat templates. */
function withSystem(messages: readonly ModelMessage[], words: string): ModelMessage[] {
  const [first, ...rest] = messages;
  return first?.role === "system"
    ? [{ ...first, content: `${first.content}\n\n${words}` }, ...rest]
    : [{ role: "system", content: words }, ...messages];
}

/** For templates without a system role (Gemma, o1-mini): what it says goes before what the user says. */
function withoutSystem(messages: readonly ModelMessage[]): ModelMessage[] {
  const merged: ModelMessage[] = [];
  let before: string[] = [];
  for (const message of messages) {
    if (message.role === "system") {
      before.push(message.content);
      continue;
    }
    if (before.length > 0 && message.role === "user") {
      merged.push({ ...message, content: [...before, message.content].join("\n\n") });
      before = [];
      continue;
    }
    if (before.length > 0) merged.push({ role: "user", content: before.splice(0).join("\n\n") });
    merged.push(message);
  }
  if (before.length > 0) merged.push({ role: "user", content: before.join("\n\n") });
  return merged;
}

/** In place of an answer that said nothing; some servers refuse an empty text. */
const nothing = "(no answer)";

function writeMessage(message: ModelMessage, sendsData: boolean): ChatCompletionMessageParam {
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
          function: { name: call.name, arguments: call.arguments },
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
