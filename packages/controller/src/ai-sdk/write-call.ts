import { isRecord } from "@planloom/plan";
import type { ModelRequest, ModelTool } from "../model.ts";
import { arrangeMessages } from "../openai/arrange-messages.ts";
import type { OptionalFeature } from "../openai/features.ts";
import { mostTokens } from "../openai/request-body.ts";
import type { BodyOptions, RequestBody } from "../openai/wire.ts";
import { writePrompt } from "./write-prompt.ts";

/** Names of `ModelRequest.extra` that the AI SDK has a setting for; all others are the provider's own options. */
const settings: Readonly<Record<string, string>> = {
  top_p: "topP",
  top_k: "topK",
  seed: "seed",
  stop: "stopSequences",
  presence_penalty: "presencePenalty",
  frequency_penalty: "frequencyPenalty",
};

export interface SdkModel {
  /** The key of the provider's own options. */
  readonly provider: string;
  /** Whether its specification has a setting for how much to think. */
  readonly hasReasoning: boolean;
}

/** Writes the options of one call. */
export function writeCallOptions(request: ModelRequest, options: BodyOptions, model: SdkModel): RequestBody {
  const { wanted, refused } = options;
  const used = new Set<OptionalFeature>();
  const { messages, sendsData } = arrangeMessages(request, options, used);
  const body: Record<string, unknown> = { prompt: writePrompt(messages, sendsData), stream: options.stream };
  if (options.stream) used.add("stream");
  if (request.temperature !== undefined && !refused.has("temperature")) {
    used.add("temperature");
    body.temperature = request.temperature;
  }
  const maxTokens = mostTokens(request, options);
  if (maxTokens !== undefined) body.maxOutputTokens = maxTokens;
  const { tools = [] } = request;
  if (tools.length > 0 && !(wanted?.tools !== undefined && wanted.form !== "tool")) {
    body.tools = tools.map(writeTool);
    body.toolChoice = writeToolChoice(request.toolChoice);
  }
  if (wanted?.form === "json_schema") {
    used.add("json_schema");
    body.responseFormat = { type: "json", name: wanted.name, schema: wanted.schema };
  }
  if (wanted?.form === "tool") {
    used.add("tool");
    if (wanted.tools === undefined) {
      const { name, schema } = wanted;
      body.tools = [writeTool({ name, description: "Gives the answer to the user.", parameters: schema })];
      body.toolChoice = writeToolChoice({ name });
    }
  }
  const { reasoning_effort: effort, ...extra } = { ...request.extra };
  if (effort !== undefined && model.hasReasoning) body.reasoning = effort;
  const own = effort === undefined || model.hasReasoning ? extra : { ...extra, reasoningEffort: effort };
  addFurther(body, own, options.extraBody, model.provider);
  return { body, used, ...(maxTokens !== undefined && { maxTokens }) };
}

function addFurther(
  body: Record<string, unknown>,
  extra: Readonly<Record<string, unknown>>,
  providerOptions: Readonly<Record<string, unknown>>,
  provider: string,
): void {
  const own: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(extra)) {
    const setting = Object.hasOwn(settings, name) ? settings[name] : undefined;
    if (setting === undefined) own[name] = value;
    else body[setting] = setting === "stopSequences" && typeof value === "string" ? [value] : value;
  }
  const given = providerOptions[provider];
  const merged = { ...(isRecord(given) ? given : {}), ...own };
  const all = { ...providerOptions, ...(Object.keys(merged).length > 0 && { [provider]: merged }) };
  if (Object.keys(all).length > 0) body.providerOptions = all;
}

function writeTool({ name, description, parameters }: ModelTool): unknown {
  return { type: "function", name, description, inputSchema: parameters };
}

function writeToolChoice(choice: ModelRequest["toolChoice"]): unknown {
  return typeof choice === "object" ? { type: "tool", toolName: choice.name } : { type: choice ?? "auto" };
}
