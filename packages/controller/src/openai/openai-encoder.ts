import { isRecord, type OptionChecks } from "@planloom/plan";
import type OpenAI from "openai";
import { checkOptions } from "../check-options.ts";
import { ControllerError, ControllerErrorCode } from "../errors.ts";
import { unreachable } from "../transport/connection-errors.ts";
import { cut, withoutSecrets } from "../transport/cut.ts";
import { startDeadline } from "../transport/deadline.ts";
import { shownUrl } from "../transport/endpoint.ts";
import { isTransientForModels, retry } from "../transport/retry.ts";
import { webPageError } from "../transport/web-page.ts";
import { createClient, findControllerError } from "./client.ts";
import { type ModelSettings, type OpenaiModelOptions, openaiChecks, readOptions } from "./options.ts";
import { timedOut } from "./timed-out.ts";

export interface OpenaiEncoderOptions
  extends Pick<
    OpenaiModelOptions,
    | "apiKey"
    | "baseURL"
    | "timeoutMs"
    | "maxRetries"
    | "retryDelayMs"
    | "maxRetryDelayMs"
    | "maxResponseBytes"
    | "headers"
    | "extraBody"
    | "fetch"
    | "environment"
  > {
  /** A model for embeddings, such as `text-embedding-3-small`. */
  readonly model: string;
}

const { apiKey, baseURL, model, timeoutMs, maxRetries, retryDelayMs, maxRetryDelayMs } = openaiChecks;
const { maxResponseBytes, headers, extraBody, fetch, environment } = openaiChecks;
const checks = {
  ...{ apiKey, baseURL, model, timeoutMs, maxRetries, retryDelayMs, maxRetryDelayMs },
  ...{ maxResponseBytes, headers, extraBody, fetch, environment },
} as const satisfies OptionChecks<OpenaiEncoderOptions>;

/**
 * A text encoder behind any OpenAI-compatible embeddings endpoint, as `EmbeddedController` takes it: one request a call.
 * @param options.timeoutMs limit of a call with its retries, in milliseconds. @default 180_000
 * @throws ControllerError OPTION or CONFIG at once when an option is unknown, or key, model or URL are missing or wrong. The encoder rejects with AUTH, RATE_LIMIT,
 * TIMEOUT, UNREACHABLE, STATUS or PROTOCOL, or with the signal's reason.
 */
export function openaiEncoder(
  options: OpenaiEncoderOptions,
): (texts: readonly string[], call?: { readonly signal?: AbortSignal }) => Promise<readonly (readonly number[])[]> {
  checkOptions("`openaiEncoder`", options, checks);
  const settings = readOptions(options);
  let client: Promise<OpenAI> | undefined;
  return async (texts, { signal } = {}) => {
    using deadline = startDeadline(signal, settings.timeoutMs);
    try {
      deadline.signal.throwIfAborted();
      client ??= createClient(settings);
      const own = await client;
      return await retry(() => request(own, texts, settings, deadline.signal), {
        maxRetries: settings.maxRetries,
        initialDelayMs: settings.retryDelayMs,
        maxDelayMs: settings.maxRetryDelayMs,
        leftMs: () => deadline.leftMs,
        signal: deadline.signal,
        random: settings.random,
        isTransient: isTransientForModels,
      });
    } catch (error) {
      if (signal?.aborted) throw signal.reason;
      throw deadline.passed
        ? timedOut(shownUrl(settings.baseURL), settings.timeoutMs, { cause: error })
        : withoutSecrets(error, settings.secrets);
    }
  };
}

async function request(
  client: OpenAI,
  texts: readonly string[],
  { model, extraBody, baseURL, secrets }: ModelSettings,
  signal: AbortSignal,
): Promise<readonly (readonly number[])[]> {
  const url = shownUrl(`${baseURL}/embeddings`);
  try {
    // Without a format the library asks for base64, which not every endpoint knows.
    const body = { model, input: [...texts], encoding_format: "float" as const, ...extraBody };
    const response = await client.embeddings.create(body, { signal }).asResponse();
    return readVectors(await response.text(), url, texts.length);
  } catch (error) {
    throw findControllerError(error) ?? unreachable(url, error, secrets);
  }
}

/** The vectors in the order of the texts; the reply may have another order. What the vectors hold is for the caller to check. */
function readVectors(text: string, url: string, count: number): readonly (readonly number[])[] {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {}
  const data: readonly unknown[] = isRecord(answer) && Array.isArray(answer.data) ? answer.data : [];
  const vectors = new Map(
    data.map((each, at) => (isRecord(each) ? [each.index ?? at, each.embedding] : [at, undefined])),
  );
  return Array.from({ length: count }, (_, at) => {
    const vector = vectors.get(at);
    if (Array.isArray(vector)) return vector;
    const page = webPageError(text, url);
    if (page !== undefined) throw page;
    throw new ControllerError(
      ControllerErrorCode.PROTOCOL,
      `Expected ${url} to answer with a vector for each of ${count} texts, got none for number ${at}: ${cut(text)}`,
      { details: { url, body: cut(text) } },
    );
  });
}
