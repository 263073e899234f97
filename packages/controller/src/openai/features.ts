import { type ControllerError, ControllerErrorCode } from "../errors.ts";
import type { ErrorBody } from "./error-body.ts";

/** Parts of a request that not every server takes. */
export const optionalFeatures = [
  "json_schema",
  "parallel_tool_calls",
  "tool",
  "stream_options",
  "stream",
  "max_tokens",
  "temperature",
  "logprobs",
  "include",
  "provider_data",
  "system",
] as const;
export type OptionalFeature = (typeof optionalFeatures)[number];

/** How each feature is named when a server refuses it. */
const names: Record<OptionalFeature, RegExp> = {
  json_schema: /response_format|text\.format|json_schema|structured.?output|guided|grammar/i,
  parallel_tool_calls: /parallel_tool_calls|parallel tool/i,
  tool: /tool_choice|\btools?\b|function.?call|\bfunctions\b/i,
  stream_options: /stream_options|include_usage/i,
  stream: /\bstream(?:ing)?\b/i,
  // A limit that is only too high does not mean that the field is refused.
  max_tokens:
    /max_completion_tokens|(unsupported|unknown|unrecognized|unexpected|extra)\b.*max_tokens|max_tokens\W*(is )?(not |un)/is,
  temperature: /temperature/i,
  logprobs: /log_?prob/i,
  include:
    /\binclude\b|encrypted content is not supported|(?:unknown|unsupported|unrecognized|invalid)\b.{0,60}encrypted_content/i,
  // That the field is missing does not mean it, either.
  provider_data:
    /^(?!.*(?:must be (?:passed|sent)|is missing|missing a)).*(?:reasoning|thinking|thought|extra_content|provider_data|encrypted.content|item.{0,40}not found)/is,
  system:
    /system (?:role|message|prompt|instruction)s?\b|role\W{1,4}system|'system'|"system"|\brole\b.{0,40}system|developer instruction|roles? must alternate/i,
};

/** Field names: a 500 is a refusal only if it has one, for its body may be any trace of a crash. */
const fields: Partial<Record<OptionalFeature, RegExp>> = {
  json_schema: /response_format/,
  parallel_tool_calls: /parallel_tool_calls/,
  tool: /tool_choice/,
  stream_options: /stream_options/,
  max_tokens: /max_completion_tokens/,
  temperature: /temperature/,
  logprobs: /logprobs/,
  system: /system role not supported|roles must alternate/i,
};

/** A server that cannot make a grammar of this schema: it may well of another one. */
const schemaTrouble =
  /too many states|(?:parse|compile|initialize|build|invalid|unsupported|convert\w*)\b.{0,60}\b(?:grammar|samplers|schema)|\b(?:grammar|schema)\b.{0,80}\b(?:error|too (?:complex|large|deep|many)|invalid|unsupported|not supported|conversion|depth|exceed)/i;

/** Statuses with which servers refuse a field. 429, 401 and the like say nothing about the request's form. */
const refusals = new Set([400, 404, 405, 415, 422, 501]);

/** What a server refused of a request. */
export interface RefusedFeature {
  readonly feature: OptionalFeature;
  /** Not the form as such, but this schema in it. */
  readonly ofSchema: boolean;
  /** It may be of this request alone: the next call tries it again. @default false */
  readonly isOnce?: boolean;
}

/**
 * Which of the features in `used` a server refused: the one that its error names, else, when the error says nothing
 * at all, the structured output, as the rarest. llama-cpp-python refuses with 500 and a validation error, llama.cpp and Ollama a schema
 * that they can make no grammar of.
 */
export function refusedFeature(
  error: ControllerError,
  { text }: Pick<ErrorBody, "text">,
  used: ReadonlySet<OptionalFeature>,
): RefusedFeature | undefined {
  const status = Number(error.details.status);
  if (error.code !== ControllerErrorCode.STATUS || (!refusals.has(status) && status !== 500)) {
    return undefined;
  }
  const form = used.has("json_schema") ? "json_schema" : used.has("tool") ? "tool" : undefined;
  if (form !== undefined && schemaTrouble.test(text)) return { feature: form, ofSchema: true };
  const isNamed = (feature: OptionalFeature) =>
    status === 500 ? fields[feature]?.test(text) === true : names[feature].test(text);
  const named = optionalFeatures.find((feature) => used.has(feature) && isNamed(feature));
  if (named !== undefined) return { feature: named, ofSchema: false };
  if (text !== "" || status === 404 || status === 500 || form === undefined) return undefined;
  return { feature: form, ofSchema: false };
}
