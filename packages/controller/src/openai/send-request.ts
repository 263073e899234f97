import type OpenAI from "openai";
import { type ControllerError, ControllerErrorCode } from "../errors.ts";
import type { ModelRequest } from "../model.ts";
import { looksLike } from "../output/looks-like.ts";
import { readOutput } from "../output/read-output.ts";
import { readTextCalls } from "../output/read-text-calls.ts";
import { shownUrl } from "../transport/endpoint.ts";
import { unreachable } from "../transport/guarded-fetch.ts";
import { isTransientForModels, retry } from "../transport/retry.ts";
import { bodyOf } from "../transport/status-error.ts";
import { findControllerError } from "./client.ts";
import { collectStream } from "./collect-stream.ts";
import { readErrorBody } from "./error-body.ts";
import { type RefusedFeature, refusedFeature } from "./features.ts";
import { finalError } from "./final-error.ts";
import type { WantedAnswer } from "./forms.ts";
import type { ModelSettings } from "./options.ts";
import { type RawReply, readCompletionText } from "./read-completion.ts";
import type { RequestBody } from "./request-body.ts";
import { readTokenLimit, type TokenLimit } from "./token-limit.ts";

/** One call of a model: the requests that it takes count together. */
export interface Call {
  readonly client: OpenAI;
  readonly settings: ModelSettings;
  readonly request: ModelRequest;
  /** Name of the model that is asked. */
  readonly model: string;
  readonly wanted: WantedAnswer | undefined;
  readonly maxRetries: number;
  readonly maxRequests: number;
  /** Requests so far. */
  sent: number;
  readonly signal: AbortSignal;
  readonly onDelta?: (text: string) => void;
  readonly watch?: (text: string) => void;
}

/** What became of a request: an answer, or the part of it that the endpoint will not take. */
export type Sent =
  | { readonly reply: RawReply }
  | { readonly refused: RefusedFeature | TokenLimit; readonly error: ControllerError };

/** Sends a request, again after faults of the connection. @throws ControllerError, `details.tries` after several requests; the signal's reason */
export function sendWithRetries(written: RequestBody, call: Call): Promise<Sent> {
  const { settings, signal } = call;
  const before = call.sent;
  const attempt = () => {
    call.sent += 1;
    return send(written, call);
  };
  return retry(attempt, {
    maxRetries: Math.min(call.maxRetries, call.maxRequests - before - 1),
    triesBefore: before,
    initialDelayMs: settings.retryDelayMs,
    maxDelayMs: settings.maxRetryDelayMs,
    signal,
    random: settings.random,
    isTransient: (error) => error.retryable && isTransientForModels(error),
  });
}

async function send(written: RequestBody, call: Call): Promise<Sent> {
  const { client, settings, signal } = call;
  const onDelta = (text: string) => {
    call.onDelta?.(text);
    call.watch?.(text);
  };
  const url = chatUrl(settings);
  try {
    const response = await client.chat.completions.create(written.body, { signal }).asResponse();
    if (response.headers.get("content-type")?.includes("text/event-stream")) {
      const { idleTimeoutMs } = settings;
      return { reply: await collectStream(response, client, { url, idleTimeoutMs, onDelta }) };
    }
    const reply = readCompletionText(await response.text(), url);
    call.onDelta?.(reply.text);
    return { reply };
  } catch (error) {
    return explain(findControllerError(error) ?? unreachable(url, error, settings.secrets), written, call);
  }
}

export function chatUrl({ baseURL }: Pick<ModelSettings, "baseURL">): string {
  return shownUrl(`${baseURL}/chat/completions`);
}

/** What an error means for the next request. @throws it, with a code of its own where there should be none */
function explain(error: ControllerError, { used, maxTokens }: RequestBody, call: Call): Sent {
  const isStatus = error.code === ControllerErrorCode.STATUS;
  const told = readErrorBody(bodyOf(error));
  const limit = isStatus && maxTokens !== undefined ? readTokenLimit(told.text, maxTokens) : undefined;
  if (limit !== undefined) return { refused: limit, error };
  const generated = isStatus ? readGenerated(told.generated, call) : undefined;
  if (generated !== undefined) return { reply: generated };
  const final = finalError(error, told, call.model);
  const refused = final.code === ControllerErrorCode.STATUS ? refusedFeature(error, told, used) : undefined;
  if (refused !== undefined) return { refused, error };
  throw final;
}

/** An answer that the endpoint threw away since it checked it more strictly than we do. */
function readGenerated(text: string | undefined, { wanted, request }: Call): RawReply | undefined {
  if (text === undefined) return undefined;
  const { tools = [] } = request;
  const calls = readTextCalls(text, [...tools, ...(wanted === undefined ? [] : [{ name: wanted.name }])]);
  if (calls !== undefined) return { text: "", toolCalls: calls, finishReason: "tool_calls" };
  if (wanted === undefined) return undefined;
  const read = readOutput(text, { schema: wanted.schema });
  const isWhole = read.found && !read.truncated && looksLike(read.value, wanted.schema);
  return isWhole ? { text, toolCalls: [], finishReason: "stop" } : undefined;
}
