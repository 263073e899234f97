import { FaultLog, tell } from "@planloom/plan";
import type OpenAI from "openai";
import { checkOptions } from "../check-options.ts";
import { ControllerError, ControllerErrorCode } from "../errors.ts";
import type { Model, ModelReply, ModelRequest } from "../model.ts";
import { readOutput } from "../output/read-output.ts";
import { withoutSecrets } from "../transport/cut.ts";
import { maxTimerMs, startDeadline } from "../transport/deadline.ts";
import { shownUrl } from "../transport/endpoint.ts";
import { guardedFetch, unreachable } from "../transport/guarded-fetch.ts";
import { isTransientForModels, retry, withTries } from "../transport/retry.ts";
import { collectStream } from "./collect-stream.ts";
import { type OptionalFeature, RefusalMemory, refusedFeature } from "./features.ts";
import { answerCall, obeysSchema } from "./obeys-schema.ts";
import { type ModelSettings, type OpenaiModelOptions, openaiChecks, readOptions } from "./options.ts";
import { priceOf } from "./price.ts";
import { type RawReply, readCompletionText } from "./read-completion.ts";
import { type RequestBody, type StructuredMode, writeRequestBody } from "./request-body.ts";

const memory = new RefusalMemory();

/**
 * A model behind any OpenAI-compatible chat-completions endpoint.
 *
 * A request with a schema is asked as json_schema response format, else as a forced tool call, else in words; what an
 * endpoint refuses for a model is remembered for the life of the process, what an answer ignores for the next requests. Every
 * request counts against `maxRequests`, and the reply says how many it took. `onDelta` may start the text anew after a retry; what
 * it throws is ignored.
 * @throws ControllerError OPTION or CONFIG at once when an option is unknown, or key, model or URL are missing or wrong. `generate` rejects with AUTH,
 * RATE_LIMIT, TIMEOUT, UNREACHABLE, STATUS or PROTOCOL, or with the signal's reason.
 */
export function openaiModel(options: OpenaiModelOptions = {}): Model {
  checkOptions("`openaiModel`", options, openaiChecks);
  const settings = readOptions(options);
  let client: Promise<OpenAI> | undefined;
  return {
    name: settings.model,
    async generate(request, options = {}) {
      const { signal, onDelta: listener, maxRetries = Number.POSITIVE_INFINITY, maxRequests } = options;
      const onDelta = listener && shielded(listener);
      using deadline = startDeadline(signal, settings.timeoutMs);
      try {
        deadline.signal.throwIfAborted();
        client ??= createClient(settings);
        return await negotiate(request, {
          client: await client,
          settings,
          maxRetries: Math.min(settings.maxRetries, maxRetries),
          maxRequests: maxRequests ?? Number.POSITIVE_INFINITY,
          asksAgain: maxRequests === undefined,
          sent: 0,
          signal: deadline.signal,
          ...(onDelta ? { onDelta } : {}),
        });
      } catch (error) {
        if (signal?.aborted) {
          throw signal.reason;
        }
        throw deadline.passed ? timedOut(settings, error) : withoutSecrets(error, settings.secrets);
      }
    },
  };
}

/** A listener only watches, so its failure must not cost the answer. */
function shielded(listener: (text: string) => void): (text: string) => void {
  const faults = new FaultLog();
  return (text) => tell(listener, text, (error) => faults.report("onDelta", error));
}

interface Call {
  readonly client: OpenAI;
  readonly settings: ModelSettings;
  readonly maxRetries: number;
  readonly maxRequests: number;
  /** Whether an answer that cannot be read is asked for in another form here: nobody else will, or tell the model why. */
  readonly asksAgain: boolean;
  /** Requests so far. */
  sent: number;
  readonly signal: AbortSignal;
  readonly onDelta?: (text: string) => void;
}

/** The library costs 86 ms to import, so nobody pays for it before the first call. */
export async function createClient(settings: ModelSettings): Promise<OpenAI> {
  const { default: OpenAI } = await import("openai");
  const { apiKey } = settings;
  const atOpenai = new URL(settings.baseURL).hostname === "api.openai.com";
  return new OpenAI({
    apiKey: apiKey === "" ? "none" : apiKey,
    adminAPIKey: null,
    ...(atOpenai ? {} : { organization: null, project: null }),
    baseURL: settings.baseURL,
    defaultHeaders: { ...(apiKey === "" ? { Authorization: null } : {}), ...settings.headers },
    timeout: Math.min(settings.timeoutMs, maxTimerMs),
    maxRetries: 0,
    logLevel: "off",
    fetch: guardedFetch({
      fetch: settings.fetch,
      maxBytes: settings.maxResponseBytes,
      idleTimeoutMs: settings.idleTimeoutMs,
      secrets: settings.secrets,
      now: settings.now,
    }),
  });
}

/** Asks in the best form that the endpoint is not known to refuse, and in lesser ones as it refuses. */
async function negotiate(request: ModelRequest, call: Call): Promise<ModelReply> {
  const { settings } = call;
  const model = request.model ?? settings.model;
  const stream = settings.stream || call.onDelta !== undefined;
  const tokens = { input: 0, output: 0, known: false };
  // Of this call alone: other calls may have made up the pauses of the memory meanwhile.
  const ignored = new Set<OptionalFeature>();
  // Each round but the last adds a refusal or an ignored form, so there are at most six.
  for (;;) {
    const refused = new Set([...memory.refusedNow(settings.baseURL, model), ...ignored]);
    const mode = chooseMode(request, settings.structuredOutput, refused);
    const written = writeRequestBody(request, {
      model,
      stream,
      refused,
      extraBody: settings.extraBody,
      ...(mode ? { mode } : {}),
    });
    let raw: RawReply;
    try {
      raw = await sendWithRetries(written, call);
    } catch (error) {
      const feature = error instanceof ControllerError ? refusedFeature(error, written.used) : undefined;
      if (feature === undefined) throw error;
      memory.refuse(settings.baseURL, model, feature);
      if (call.sent >= call.maxRequests) throw withTries(error as ControllerError, call.sent);
      continue;
    }
    tokens.known ||= raw.tokens !== undefined;
    tokens.input += raw.tokens?.input ?? 0;
    tokens.output += raw.tokens?.output ?? 0;
    if (request.schema !== undefined && mode !== undefined && mode !== "text") {
      const followed = obeysSchema(raw, mode, request.schema);
      memory.judge(settings.baseURL, model, mode, followed);
      if (!followed && call.asksAgain && !readOutput(raw.text, { schema: request.schema.schema }).found) {
        ignored.add(mode);
        continue;
      }
    }
    return finish(raw, request, mode, model, { ...tokens, requests: call.sent }, settings);
  }
}

function chooseMode(
  request: ModelRequest,
  first: StructuredMode,
  refused: ReadonlySet<string>,
): StructuredMode | undefined {
  if (request.schema === undefined) {
    return undefined;
  }
  if (first === "json_schema" && !refused.has("json_schema")) {
    return "json_schema";
  }
  // With tools of its own a request cannot also be forced to call ours.
  return first !== "text" && !refused.has("tool") && !request.tools?.length ? "tool" : "text";
}

function sendWithRetries(written: RequestBody, call: Call): Promise<RawReply> {
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
    isTransient: (error) => refusedFeature(error, written.used) === undefined && isTransientForModels(error),
  });
}

async function send({ body }: RequestBody, call: Call): Promise<RawReply> {
  const { client, settings, signal, onDelta } = call;
  const url = shownUrl(`${settings.baseURL}/chat/completions`);
  try {
    const response = await client.chat.completions.create(body, { signal }).asResponse();
    if (response.headers.get("content-type")?.includes("text/event-stream")) {
      return await collectStream(response, client, { url, ...(onDelta ? { onDelta } : {}) });
    }
    const reply = readCompletionText(await response.text(), url);
    onDelta?.(reply.text);
    return reply;
  } catch (error) {
    throw findControllerError(error) ?? unreachable(url, error, settings.secrets);
  }
}

/** The library wraps what our `fetch` throws. */
export function findControllerError(error: unknown): ControllerError | undefined {
  let inner = error;
  for (let depth = 0; depth < 5 && inner instanceof Error; depth += 1) {
    if (inner instanceof ControllerError) {
      return inner;
    }
    inner = inner.cause;
  }
  return undefined;
}

function finish(
  raw: RawReply,
  request: ModelRequest,
  mode: StructuredMode | undefined,
  model: string,
  tokens: { readonly input: number; readonly output: number; readonly known: boolean; readonly requests: number },
  settings: ModelSettings,
): ModelReply {
  const answer = mode === "tool" && request.schema ? answerCall(raw, request.schema.name) : undefined;
  const cost = tokens.known ? priceOf(settings.prices, [model, raw.model], tokens.input, tokens.output) : undefined;
  return {
    text: answer ?? raw.text,
    toolCalls: answer === undefined ? raw.toolCalls : [],
    ...(tokens.known
      ? {
          usage: {
            inputTokens: tokens.input,
            outputTokens: tokens.output,
            ...(cost === undefined ? {} : { cost }),
          },
        }
      : {}),
    ...(tokens.requests > 1 && { requests: tokens.requests }),
    model: raw.model ?? model,
    ...(raw.finishReason === undefined ? {} : { finishReason: raw.finishReason }),
  };
}

export function timedOut(settings: ModelSettings, cause: unknown): ControllerError {
  const { timeoutMs } = settings;
  const url = shownUrl(settings.baseURL);
  return new ControllerError(
    ControllerErrorCode.TIMEOUT,
    `Expected an answer from ${url} within ${timeoutMs} ms, got none. Raise \`timeoutMs\`, or choose a faster model.`,
    { details: { url, timeoutMs }, cause },
  );
}
