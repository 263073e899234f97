import { isRecord, type JsonSchema } from "@planloom/plan";
import { ControllerError, ControllerErrorCode } from "../errors.ts";
import type { ModelRequest } from "../model.ts";
import { looksLike, propertyKeys } from "../output/looks-like.ts";
import { readOutput } from "../output/read-output.ts";
import { readTextCalls } from "../output/read-text-calls.ts";
import { isTransientForModels, retry } from "../transport/retry.ts";
import { bodyOf } from "../transport/status-error.ts";
import { readErrorBody } from "./error-body.ts";
import { type RefusedFeature, refusedFeature } from "./features.ts";
import { finalError } from "./final-error.ts";
import type { WantedAnswer } from "./forms.ts";
import { charactersAsked, guessedTokens } from "./guessed-tokens.ts";
import type { ModelSettings } from "./options.ts";
import { isEmptyStream, type RawReply } from "./read-completion.ts";
import { readTokenLimit, type TokenLimit } from "./token-limit.ts";
import type { TokenSum } from "./token-sum.ts";
import type { Endpoint, RequestBody } from "./wire.ts";

/** What of the options of a model its calls need. */
export type CallSettings = Pick<
  ModelSettings,
  "structuredOutput" | "stream" | "maxTokens" | "extraBody" | "prices" | "retryDelayMs" | "maxRetryDelayMs" | "random"
>;

/** One call of a model: the requests that it takes count together. */
export interface Call {
  readonly endpoint: Endpoint;
  readonly settings: CallSettings;
  readonly request: ModelRequest;
  /** Name of the model that is asked. */
  readonly model: string;
  readonly wanted: WantedAnswer | undefined;
  readonly maxRetries: number;
  readonly maxRequests: number;
  /** Requests so far. */
  sent: number;
  /** Of these, those that the endpoint refused for a part of their form. They do not count against `maxRequests`. */
  refused: number;
  /** Of all answers so far, those that broke off included. */
  readonly tokens: TokenSum;
  /** Whether a piece of an answer has come. */
  hasWritten: boolean;
  readonly signal: AbortSignal;
  /** What is left of its time, in milliseconds. */
  readonly leftMs: () => number;
  readonly onRestart?: () => void;
  readonly onDelta?: (text: string, said?: string) => void;
  readonly watch?: (text: string) => void;
}

/** What became of a request: an answer, or the part of it that the endpoint will not take. */
export type Sent = { readonly reply: RawReply } | Refusal;

export interface Refusal {
  readonly refused: RefusedFeature | TokenLimit;
  readonly error: ControllerError;
}

/** Sends a request, again after faults of the connection. @throws ControllerError, `details.tries` after several requests; the signal's reason */
export function sendWithRetries(written: RequestBody, call: Call): Promise<Sent> {
  const { settings, signal } = call;
  const before = call.sent;
  const attempt = () => {
    call.sent += 1;
    return send(written, call);
  };
  return retry(attempt, {
    maxRetries: Math.min(call.maxRetries, call.maxRequests - (before - call.refused) - 1),
    triesBefore: before,
    initialDelayMs: settings.retryDelayMs,
    maxDelayMs: settings.maxRetryDelayMs,
    leftMs: call.leftMs,
    signal,
    random: settings.random,
    isTransient: (error) => error.retryable && isTransientForModels(error),
  });
}

async function send(written: RequestBody, call: Call): Promise<Sent> {
  const { endpoint, signal } = call;
  let characters = 0;
  let hasBegun = false;
  const begin = () => {
    if (!hasBegun && call.hasWritten) call.onRestart?.();
    hasBegun = true;
    call.hasWritten = true;
  };
  const onWhole = (text: string) => {
    begin();
    call.onDelta?.(text);
  };
  const onDelta = (text: string, said?: string) => {
    begin();
    if (!signal.aborted) characters += text.length;
    call.onDelta?.(text, said);
    call.watch?.(text);
  };
  try {
    return { reply: await endpoint.send(written.body, { signal, onDelta, onWhole }) };
  } catch (error) {
    if (characters > 0) call.tokens.addGuess(guessedTokens(charactersOf(call), characters));
    if (!(error instanceof ControllerError)) throw error;
    return explain(error, written, call);
  }
}

/** Characters of what the model is asked. */
export function charactersOf({ request, wanted }: Pick<Call, "request" | "wanted">): number {
  return charactersAsked({ ...request, ...(wanted !== undefined && { schema: wanted }) });
}

/** What an error means for the next request. @throws it, with a code of its own where there should be none */
function explain(error: ControllerError, { used, maxTokens }: RequestBody, call: Call): Sent {
  if (isEmptyStream(error) && used.has("stream")) {
    return { refused: { feature: "stream", ofSchema: false, isOnce: true }, error };
  }
  const isStatus = error.code === ControllerErrorCode.STATUS;
  const reported = readErrorBody(bodyOf(error));
  const limit = isStatus && maxTokens !== undefined ? readTokenLimit(reported.text, maxTokens) : undefined;
  if (limit !== undefined) return { refused: limit, error };
  const generated = isStatus ? readGenerated(reported.generated, call) : undefined;
  if (generated !== undefined) return { reply: generated };
  const final = finalError(error, reported, call);
  const refused = final.code === ControllerErrorCode.STATUS ? refusedFeature(error, reported, used) : undefined;
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
  const isWhole = read.found && !read.truncated && isMeant(read.value, wanted.schema);
  return isWhole ? { text, toolCalls: [], finishReason: "stop" } : undefined;
}

/** What an endpoint throws away often lacks a key that its form requires; the caller judges what is there, and says what is not. */
function isMeant(value: unknown, schema: JsonSchema): boolean {
  return looksLike(value, schema) || (isRecord(value) && propertyKeys(schema).some((key) => Object.hasOwn(value, key)));
}
