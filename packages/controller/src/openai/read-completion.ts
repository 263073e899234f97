import { isRecord } from "@planloom/plan";
import { ControllerError, ControllerErrorCode } from "../errors.ts";
import type { LikelyToken, ModelReply, ModelToolCall, ProviderData } from "../model.ts";
import { cut, shown as shownJson } from "../transport/cut.ts";
import { statusError } from "../transport/status-error.ts";
import { webPageError } from "../transport/web-page.ts";
import { dataOfMessage } from "./provider-data.ts";
import { readCalls } from "./read-calls.ts";
import { readTokens, type TokenCounts } from "./token-counts.ts";

/** A reply before its price is known. */
export interface RawReply {
  readonly text: string;
  readonly toolCalls: readonly ModelToolCall[];
  readonly tokens?: TokenCounts;
  readonly topTokens?: readonly (readonly LikelyToken[])[];
  readonly model?: string;
  readonly finishReason?: NonNullable<ModelReply["finishReason"]>;
  /** Why the model would not answer, in its own words. */
  readonly refusal?: string;
  readonly providerData?: ProviderData;
}

/** Reads a whole chat completion. @throws ControllerError PROTOCOL, `details.body` (cut). */
export function readCompletion(given: unknown, url: string): RawReply {
  // Gemini writes errors in a list of one.
  const body: unknown = Array.isArray(given) && given.length === 1 ? given[0] : given;
  const error = isRecord(body) ? errorOf(body) : undefined;
  if (error !== undefined) {
    throw errorInside(`Expected a chat completion from ${url}, got an error with status 200`, error, url);
  }
  if (!isRecord(body) || !Array.isArray(body.choices)) {
    throw protocolError(`Expected a chat completion with \`choices\` from ${url}, got something else`, body);
  }
  const [choice] = body.choices;
  if (choice === undefined) {
    throw noResponse(url, body);
  }
  const finishReason = isRecord(choice) ? readFinishReason(choice.finish_reason) : "other";
  if (isRecord(choice) && isRecord(choice.error)) {
    throw errorInside(`Expected an answer from ${url}, got an error in its place`, choice.error, url);
  }
  if (isRecord(choice)) checkEnd(choice.finish_reason, url);
  // What a filter stopped may have no message at all.
  const message = isRecord(choice) ? (messageOf(choice) ?? (finishReason === "content_filter" ? {} : undefined)) : {};
  if (!isRecord(choice) || !isRecord(message)) {
    throw protocolError(`Expected \`choices[0].message\` from ${url}, got none`, body);
  }
  const tokens = readTokens(body.usage);
  const caller = [message, ...body.choices.slice(1).map(messageOf)].find((each) => readCalls(each ?? {}).length > 0);
  const toolCalls = readCalls(caller ?? {});
  const providerData = dataOfMessage(caller ?? message, toolCalls.length);
  const topTokens = readTopTokens(choice);
  return {
    text: textOf(readReasoning(message), readContent(message.content), toolCalls.length),
    toolCalls,
    ...(tokens ? { tokens } : {}),
    ...(topTokens.length > 0 && { topTokens }),
    ...(typeof body.model === "string" ? { model: body.model } : {}),
    ...(typeof message.refusal === "string" && message.refusal !== "" && { refusal: message.refusal }),
    ...(providerData !== undefined && { providerData }),
    finishReason,
  };
}

/** The error in the place of an answer. vLLM and SGLang write its fields at the top. */
export function errorOf(body: Readonly<Record<string, unknown>>): unknown {
  const { error, choices, object } = body;
  if (Array.isArray(choices) && choices.length > 0) return undefined;
  return error ?? (object === "error" ? body : undefined);
}

/**
 * The message of a choice, or of a piece of one; servers that only continue texts write a text. Answers of one model can be parted into two choices: its words, and
 * its calls (GitHub Copilot).
 */
export function messageOf(choice: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isRecord(choice)) return undefined;
  const message = choice.delta ?? choice.message;
  if (isRecord(message)) return message;
  return typeof choice.text === "string" ? { content: choice.text } : undefined;
}

/** Parses and reads the text of a response body. */
export function readCompletionText(text: string, url: string): RawReply {
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw webPageError(text, url) ?? protocolError(`Expected JSON from ${url}, got text that is not JSON`, text, cause);
  }
  return readCompletion(body, url);
}

/** Fixed wording: Kirha's callers match on it. */
export function noResponse(url: string, body: unknown): ControllerError {
  return new ControllerError(ControllerErrorCode.PROTOCOL, "No response from model", {
    details: { url, body: shown(body) },
  });
}

const emptyStreams = new WeakSet<ControllerError>();

/** The same of a stream that ended with nothing in it. Some endpoints, and proxies before them, cannot stream: asked for a whole answer they may give it, or say why not. */
export function emptyStream(url: string): ControllerError {
  const error = noResponse(url, "an empty stream");
  emptyStreams.add(error);
  return error;
}

export function isEmptyStream(error: ControllerError): boolean {
  return emptyStreams.has(error);
}

export function protocolError(problem: string, body: unknown, cause?: unknown): ControllerError {
  return new ControllerError(
    ControllerErrorCode.PROTOCOL,
    `${problem}: ${shown(body)}. Does the URL point at an OpenAI-compatible API?`,
    { details: { body: shown(body) }, ...(cause === undefined ? {} : { cause }) },
  );
}

/** An error that came within an answer: of the status that it names, which says whether asking again may help. */
export function errorInside(problem: string, error: unknown, url: string): ControllerError {
  const status = isRecord(error) ? namedStatus(error) : undefined;
  if (status === undefined) return protocolError(problem, error);
  return statusError(url, { status, headers: new Headers() }, JSON.stringify({ error }), [], 0);
}

/** Codes and types of errors, and the status with which a request is refused for the same reason. The first that fits counts. */
const namedStatuses: readonly (readonly [RegExp, number])[] = [
  [/rate.?limit|quota|too.?many.?requests|resource.?exhausted/i, 429],
  [/server.?error|overloaded|timeout|unavailable|internal|api_error/i, 500],
  [/authentication|permission|api_key|unauthorized|forbidden/i, 401],
  [/invalid.?request|bad.?request|context_length|content_(?:filter|policy)|model_not_found/i, 400],
];

/** The status that an error within an answer names: as a number (OpenRouter, Gemini), else by its code or type (OpenAI, Anthropic, Groq). */
export function namedStatus({ code, type, status }: Readonly<Record<string, unknown>>): number | undefined {
  const number = [code, status].map(Number).find((each) => each >= 400 && each <= 599);
  if (number !== undefined) return number;
  const text = [code, type, status].filter((part) => typeof part === "string").join(" ");
  return namedStatuses.find(([pattern]) => pattern.test(text))?.[1];
}

function shown(body: unknown): string {
  return typeof body === "string" ? cut(body) : shownJson(body);
}

/** `content` is text, a list of parts of which the text counts, or JSON that the server has parsed. */
export function readContent(content: unknown): string {
  if (typeof content === "string") return content;
  if (Array.isArray(content)) return content.map(textOfPart).join("");
  if (!isRecord(content)) return "";
  return "type" in content ? textOfPart(content) : JSON.stringify(content);
}

function textOfPart(part: unknown): string {
  if (typeof part === "string") return part;
  return isRecord(part) && typeof part.text === "string" ? part.text : "";
}

/** Servers that take the think block out of the text put it in a field of its own. */
export function readReasoning(message: Readonly<Record<string, unknown>>): string {
  const reasoning = message.reasoning_content ?? message.reasoning;
  return typeof reasoning === "string" ? reasoning : "";
}

/** Puts a think block back where the model wrote it. */
export function joinReasoning(reasoning: string, content: string): string {
  return reasoning === "" ? content : `<think>${reasoning}</think>${content}`;
}

/**
 * What an answer says. One that is JSON from its beginning to its end was no thought: servers that look for the end of a thought which the model was not let
 * write call the whole answer one (vLLM and SGLang with a grammar).
 */
export function textOf(reasoning: string, content: string, calls: number): string {
  const isAnswer = calls === 0 && content.trim() === "" && isJsonObject(reasoning);
  return isAnswer ? reasoning : joinReasoning(reasoning, content);
}

function isJsonObject(text: string): boolean {
  if (!/^\s*\{/.test(text)) return false;
  try {
    return isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

/** The likeliest tokens at each place of an answer, or of a piece of it. */
export function readTopTokens({ logprobs }: Readonly<Record<string, unknown>>): LikelyToken[][] {
  const places = isRecord(logprobs) && Array.isArray(logprobs.content) ? logprobs.content : [];
  return places.flatMap((place) => {
    const top = isRecord(place) && Array.isArray(place.top_logprobs) ? place.top_logprobs : undefined;
    if (top === undefined) return [];
    const tokens = top.flatMap((each): LikelyToken[] =>
      isRecord(each) && typeof each.token === "string" && typeof each.logprob === "number"
        ? [{ text: each.token, logprob: Math.min(0, each.logprob) }]
        : [],
    );
    return [tokens.sort((one, other) => other.logprob - one.logprob)];
  });
}

/** Ends of answers that the endpoint broke off, or that the model wrote so that the endpoint cannot read them: DeepSeek, Mistral and OpenRouter, vLLM, Zhipu, Gemini. */
const brokenOff =
  /^(?:insufficient_system_resource|error|abort|network_error|.*malformed_function_call|malformed_response|unexpected_tool_call)$/i;

/** @throws ControllerError STATUS where the endpoint says that it broke the answer off, so that only a part of it came */
export function checkEnd(reason: unknown, url: string): void {
  if (typeof reason !== "string" || !brokenOff.test(reason)) return;
  const error = { code: 503, message: `The endpoint broke its answer off (finish_reason ${JSON.stringify(reason)}).` };
  throw errorInside("", error, url);
}

type FinishReason = NonNullable<ModelReply["finishReason"]>;

/** Names of ends that proxies pass on as the provider behind them writes them. The first that fits counts. */
const endNames: readonly (readonly [RegExp, FinishReason])[] = [
  [/^(?:stop|eos|eos_token|end_turn|stop_sequence)$/, "stop"],
  [/^(?:length|max_tokens|max_output_tokens|model_length)$/, "length"],
  [/^(?:tool_calls?|tool_use|function_call)$/, "tool_calls"],
  // Gemini names the filter behind it.
  [
    /^content_filter|^(?:image_)?safety$|^(?:prohibited_content|blocklist|recitation|spii|sensitive)$/,
    "content_filter",
  ],
];

export function readFinishReason(reason: unknown): FinishReason {
  const name = typeof reason === "string" ? reason.toLowerCase() : "";
  return endNames.find(([pattern]) => pattern.test(name))?.[1] ?? "other";
}
