import type { OptionChecks } from "@planloom/plan";
import { isMisspelling } from "@planloom/plan/internals";
import { ControllerError, ControllerErrorCode } from "../errors.ts";
import { credentialsIn, headerSecrets, secretHeaders, unmistakableKeys } from "../transport/cut.ts";
import { readEndpoint } from "../transport/endpoint.ts";
import type { Fetch } from "../transport/guarded-fetch.ts";
import { patientFetch } from "../transport/patient-fetch.ts";
import type { PriceTable } from "./price.ts";

/** An OpenAI-compatible endpoint and how patiently it is asked. */
export interface OpenaiModelOptions {
  /** @default OPENAI_API_KEY; needed only by api.openai.com */
  readonly apiKey?: string;
  /** Any OpenAI-compatible endpoint, up to and with `/v1`. @default OPENAI_BASE_URL, else https://api.openai.com/v1 */
  readonly baseURL?: string;
  /** @default PLANLOOM_MODEL */
  readonly model?: string;
  /**
   * The protocol: chat completions, which nearly every endpoint speaks, or OpenAI's Responses API, which some models ask for.
   * @default "chat"
   */
  readonly api?: "chat" | "responses";
  /** Limit of a whole call, retries and their waits included, in milliseconds. @default 180_000 */
  readonly timeoutMs?: number;
  /** Longest silence within an answer that has begun, in milliseconds. @default 60_000 */
  readonly idleTimeoutMs?: number;
  /** Attempts after the first on 429, 5xx and broken connections. @default 2 */
  readonly maxRetries?: number;
  /** Wait before the first retry, in milliseconds; doubles with each. @default 500 */
  readonly retryDelayMs?: number;
  /**
   * Longest wait before a retry, in milliseconds. Where Retry-After asks for more there is none, here or by the caller, and the error says so.
   * @default 60_000
   */
  readonly maxRetryDelayMs?: number;
  /** @default 16 MiB */
  readonly maxResponseBytes?: number;
  /** What a million tokens cost, by model; without an entry a call has no cost. */
  readonly prices?: PriceTable;
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Added to every request body: `top_p`, `seed`, `chat_template_kwargs`, … */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  /** How to ask for structured output first. @default "json_schema" */
  readonly structuredOutput?: "json_schema" | "tool" | "text";
  /** The most tokens of any answer, also where a request asks for more. @default what the request says */
  readonly maxTokens?: number;
  /** Of requests that name none. @default the endpoint's */
  readonly temperature?: number;
  /** How much a model that thinks is to think, as the endpoint names it: "none", "minimal", "low", "medium", "high", "xhigh", "max", or a word of its own. A misspelling of these is refused. @default the endpoint's */
  readonly reasoningEffort?: string;
  /**
   * Answers are read as they are written, so that one that runs away is stopped; `false` asks for whole ones without listeners to the
   * pieces. @default true, where the endpoint counts the tokens of streams
   */
  readonly stream?: boolean;
  readonly fetch?: Fetch;
  /** @default process.env */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** @default Math.random */
  readonly random?: () => number;
}

/** What is checked of the options that say how a model is asked, whatever answers. */
export const askingChecks = {
  timeoutMs: "own",
  idleTimeoutMs: "own",
  maxRetries: "own",
  retryDelayMs: "own",
  maxRetryDelayMs: "own",
  maxResponseBytes: "own",
  prices: "object",
  structuredOutput: ["json_schema", "tool", "text"],
  maxTokens: "own",
  temperature: "own",
  reasoningEffort: "text",
  stream: "boolean",
  now: "function",
  random: "function",
} as const;

/** What is checked of each; missing and empty ones, and ranges, are checked where they are read. */
export const openaiChecks = {
  apiKey: "text",
  baseURL: "text",
  model: "text",
  api: ["chat", "responses"],
  headers: "object",
  extraBody: "object",
  fetch: "function",
  environment: "object",
  ...askingChecks,
} as const satisfies OptionChecks<OpenaiModelOptions>;

export type ModelSettings = ReturnType<typeof readOptions>;

const openaiBaseURL = "https://api.openai.com/v1";

/** Fills in environment and defaults; an empty text counts as none. @throws ControllerError CONFIG, `details.option`. */
export function readOptions(options: OpenaiModelOptions) {
  const environment = options.environment ?? process.env;
  const baseURL = readEndpoint(
    filled(options.baseURL) ?? filled(environment.OPENAI_BASE_URL) ?? openaiBaseURL,
    "baseURL",
  );
  const apiKey = filled(options.apiKey) ?? filled(environment.OPENAI_API_KEY) ?? "";
  const secret = secretHeaders(options.headers ?? {});
  const keys = unmistakableKeys([apiKey, ...headerSecrets(secret), ...credentialsIn(options.extraBody)]);
  const model = filled(options.model) ?? filled(environment.PLANLOOM_MODEL) ?? "";
  if (model === "") {
    throw missing("model", "the name of a model, in the option `model` or in PLANLOOM_MODEL");
  }
  if (apiKey === "" && new URL(baseURL).hostname === "api.openai.com") {
    throw missing(
      "apiKey",
      "an API key, in the option `apiKey` or in OPENAI_API_KEY (or another endpoint in OPENAI_BASE_URL)",
    );
  }
  return {
    ...readCallOptions(options),
    apiKey,
    baseURL,
    model,
    api: options.api ?? "chat",
    headers: options.headers ?? {},
    extraBody: options.extraBody ?? {},
    reasoningEffort: readEffort(options.reasoningEffort),
    fetch: options.fetch ?? patientFetch,
    secrets: [apiKey, ...headerSecrets(options.headers), ...credentialsIn(options.extraBody)],
    keys: () => keys,
  };
}

/** What does not depend on the kind of endpoint, with its defaults. @throws ControllerError CONFIG, `details.option`. */
export function readCallOptions(options: OpenaiModelOptions) {
  return {
    timeoutMs: positive("timeoutMs", options.timeoutMs ?? 180_000),
    idleTimeoutMs: positive("idleTimeoutMs", options.idleTimeoutMs ?? 60_000),
    maxRetries: count("maxRetries", options.maxRetries ?? 2),
    retryDelayMs: count("retryDelayMs", options.retryDelayMs ?? 500),
    maxRetryDelayMs: count("maxRetryDelayMs", options.maxRetryDelayMs ?? 60_000),
    maxResponseBytes: positive("maxResponseBytes", options.maxResponseBytes ?? 16 * 1024 * 1024),
    prices: options.prices,
    structuredOutput: options.structuredOutput ?? "json_schema",
    stream: options.stream,
    maxTokens: positive("maxTokens", options.maxTokens ?? Number.POSITIVE_INFINITY),
    temperature: options.temperature === undefined ? undefined : count("temperature", options.temperature),
    now: options.now ?? Date.now,
    random: options.random ?? Math.random,
  };
}

/** Each model takes some of them; "default" is Groq's, "provider-default" the AI SDK's. */
const efforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max", "default", "provider-default"];

/** Endpoints have words of their own, so only what is one of the known words misspelt is refused: many ignore what they do not know. @throws ControllerError CONFIG */
export function readEffort(given: string | undefined): string | undefined {
  const effort = filled(given);
  if (effort === undefined || efforts.includes(effort)) return effort;
  const meant = efforts.find((known) => isMisspelling(effort, known));
  if (meant === undefined) return effort;
  throw new ControllerError(
    ControllerErrorCode.CONFIG,
    `Expected \`reasoningEffort\` to be one of ${efforts.slice(0, 7).join(", ")} or another word of the endpoint, got \`${effort}\`: did you mean \`${meant}\`?`,
    { details: { option: "reasoningEffort", candidates: [meant] } },
  );
}

const filled = (text: string | undefined) => (text === undefined || text.trim() === "" ? undefined : text.trim());

function missing(option: string, expected: string): ControllerError {
  return new ControllerError(ControllerErrorCode.CONFIG, `Expected ${expected}, got none.`, { details: { option } });
}

function positive(option: string, value: number): number {
  if (typeof value !== "number" || !(value > 0)) {
    throw wrongNumber(option, "a number above 0", value);
  }
  return value;
}

function count(option: string, value: number): number {
  if (typeof value !== "number" || !(value >= 0)) {
    throw wrongNumber(option, "a number of at least 0", value);
  }
  return value;
}

function wrongNumber(option: string, expected: string, value: unknown): ControllerError {
  return new ControllerError(
    ControllerErrorCode.CONFIG,
    `Expected \`${option}\` to be ${expected}, got \`${String(value)}\` (${typeof value}).`,
    { details: { option } },
  );
}
