import { isRecord, type OptionChecks, redact } from "@planloom/plan";
import type {
  BehaviorController,
  CallOptions,
  ControllerReply,
  Phase1Request,
  Phase2Request,
  TaskInput,
} from "./behavior-controller.ts";
import { checkOptions } from "./check-options.ts";
import { ControllerError, ControllerErrorCode } from "./errors.ts";
import { readControllerReply } from "./read-controller-reply.ts";
import { unreachable } from "./transport/connection-errors.ts";
import { credentialsIn, cut, headerSecrets, withoutSecrets } from "./transport/cut.ts";
import { startDeadline } from "./transport/deadline.ts";
import { readEndpoint, shownUrl } from "./transport/endpoint.ts";
import { type Fetch, guardedFetch } from "./transport/guarded-fetch.ts";
import { patientFetch } from "./transport/patient-fetch.ts";
import { retry } from "./transport/retry.ts";
import { bodyOf } from "./transport/status-error.ts";
import { webPageError } from "./transport/web-page.ts";

export interface HttpControllerOptions {
  /** Where `/process-phase-1-task` and `/process-phase-2-task` are. http or https. */
  readonly url: string;
  /** Sent with every request: `authorization`, … */
  readonly headers?: Readonly<Record<string, string>>;
  /** Limit of a whole call, retries and their waits included, in milliseconds. @default 120_000 */
  readonly timeoutMs?: number;
  /** Attempts after the first on 429, 503 and broken connections. @default 2 */
  readonly retries?: number;
  /** Wait before the first retry, in milliseconds; doubles with each. @default 500 */
  readonly retryDelayMs?: number;
  /** Longest wait before a retry, in milliseconds; where Retry-After asks for more there is none, and the error says so. @default 30_000 */
  readonly maxRetryDelayMs?: number;
  /** @default 16 MiB */
  readonly maxResponseBytes?: number;
  /**
   * How many earlier requests with their answers the service shows its model, for requests that say none themselves; a planner's own `nHistorySamples`
   * goes before it. @default 0
   */
  readonly nHistorySamples?: number;
  readonly fetch?: Fetch;
  /** Milliseconds since the epoch. @default Date.now */
  readonly now?: () => number;
  /** @default Math.random */
  readonly random?: () => number;
}

const checks = {
  url: { required: "text" },
  headers: "object",
  timeoutMs: "positive",
  retries: "wholeNumber",
  retryDelayMs: "nonNegative",
  maxRetryDelayMs: "nonNegative",
  maxResponseBytes: "positive",
  nHistorySamples: "wholeNumber",
  fetch: "function",
  now: "function",
  random: "function",
} as const satisfies OptionChecks<HttpControllerOptions>;

const defaultTimeoutMs = 120_000;

interface Sending {
  readonly body: string;
  readonly signal: AbortSignal;
  readonly fetch: Fetch;
  /** What no message may repeat. */
  readonly secrets: readonly string[];
}

/**
 * A Behavior Controller behind HTTP. Bodies are the Agents Planning System's; the structured fields (`job`, `resources`, `context`,
 * `replan`, `task`, `input`, `feedback`) go along beside them, for a controller that can use them.
 * Rejects with ControllerError AUTH, RATE_LIMIT, TIMEOUT, UNREACHABLE, STATUS or PROTOCOL.
 */
export class HttpController implements BehaviorController {
  readonly name: string;
  readonly #url: string;
  readonly #options: HttpControllerOptions;
  readonly #secrets: readonly string[];

  /** @throws ControllerError OPTION, CONFIG */
  constructor(options: HttpControllerOptions) {
    checkOptions("`HttpController`", options, checks);
    this.#url = readEndpoint(options.url, "url");
    this.#options = options;
    this.name = `http:${new URL(this.#url).host}`;
    this.#secrets = headerSecrets(options.headers);
  }

  /** Retries and their waits included. */
  get timeoutMs(): number {
    return this.#options.timeoutMs ?? defaultTimeoutMs;
  }

  processPhase1(request: Phase1Request, options: CallOptions = {}): Promise<ControllerReply> {
    return this.#post(
      "process-phase-1-task",
      { ...request, phase_1_data: this.#withSamples(request.phase_1_data) },
      request.phase_1_data,
      options,
    );
  }

  processPhase2(request: Phase2Request, options: CallOptions = {}): Promise<ControllerReply> {
    return this.#post(
      "process-phase-2-task",
      { ...request, phase_2_data: this.#withSamples(request.phase_2_data) },
      request.phase_2_data,
      options,
    );
  }

  #withSamples(data: TaskInput): TaskInput {
    const { nHistorySamples = 0 } = this.#options;
    return data.n_history_samples === 0 ? { ...data, n_history_samples: nHistorySamples } : data;
  }

  async #post(
    path: string,
    request: object,
    { llm_data }: TaskInput,
    { signal, maxRequests = Number.POSITIVE_INFINITY }: CallOptions,
  ): Promise<ControllerReply> {
    const { timeoutMs } = this;
    const { retries = 2, retryDelayMs = 500, maxRetryDelayMs = 30_000 } = this.#options;
    const url = `${this.#url}/${path}`;
    const body = JSON.stringify(request);
    // A service that is given a key with the request may repeat it as it may one of the headers.
    const secrets = [...this.#secrets, ...credentialsIn(llm_data)];
    const fetch = this.#guarded(secrets);
    using deadline = startDeadline(signal, timeoutMs);
    try {
      let requests = 0;
      const send = () => {
        requests += 1;
        return this.#send(url, { body, signal: deadline.signal, fetch, secrets });
      };
      const reply = await retry(send, {
        maxRetries: Math.min(retries, maxRequests - 1),
        initialDelayMs: retryDelayMs,
        maxDelayMs: maxRetryDelayMs,
        leftMs: () => deadline.leftMs,
        signal: deadline.signal,
        random: this.#options.random ?? Math.random,
        isTransient,
      });
      return requests > 1 ? { ...reply, requests } : reply;
    } catch (error) {
      if (signal?.aborted) {
        throw signal.reason;
      }
      throw deadline.passed ? timedOut(url, timeoutMs, error) : withoutSecrets(error, secrets);
    }
  }

  #guarded(secrets: readonly string[]): Fetch {
    const { fetch = patientFetch, maxResponseBytes = 16 * 1024 * 1024, now = Date.now } = this.#options;
    return guardedFetch({ fetch, maxBytes: maxResponseBytes, idleTimeoutMs: Number.POSITIVE_INFINITY, secrets, now });
  }

  async #send(url: string, { body, signal, fetch, secrets }: Sending): Promise<ControllerReply> {
    const headers = { "content-type": "application/json", accept: "application/json", ...this.#options.headers };
    let text: string;
    try {
      const response = await fetch(url, { method: "POST", headers, body, signal });
      text = await response.text();
    } catch (error) {
      const refused = failureIn(error);
      if (refused !== undefined) return redact(readControllerReply(refused), secrets);
      throw error instanceof ControllerError ? error : unreachable(shownUrl(url), error);
    }
    const reply = readControllerReply(parseBody(text, url));
    // People read a refusal; what the controller planned is data.
    return reply.success ? reply : redact(reply, secrets);
  }
}

/** The Agents Planning System answers with status 500 and `{"success": false, "status": "failed", …}` where there is no plan: that is a refusal. */
function failureIn(error: unknown): unknown {
  if (!(error instanceof ControllerError) || error.details.status !== 500) return undefined;
  try {
    const body: unknown = JSON.parse(bodyOf(error));
    return isRecord(body) && body.success === false && body.status === "failed" ? body : undefined;
  } catch {
    // The body is something else.
    return undefined;
  }
}

function parseBody(text: string, url: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    const page = webPageError(text, shownUrl(url));
    if (page !== undefined) throw page;
    throw new ControllerError(
      ControllerErrorCode.PROTOCOL,
      `Expected JSON from ${shownUrl(url)}, got ${text === "" ? "an empty body" : cut(text)}.`,
      { details: { url: shownUrl(url), body: cut(text) }, cause },
    );
  }
}

/** A controller may already have planned when it answers 500 or 502, so only a clear "not now" is tried again. */
function isTransient(error: ControllerError): boolean {
  return (
    error.code === ControllerErrorCode.UNREACHABLE ||
    error.code === ControllerErrorCode.RATE_LIMIT ||
    (error.code === ControllerErrorCode.STATUS && error.details.status === 503)
  );
}

function timedOut(url: string, timeoutMs: number, cause: unknown): ControllerError {
  return new ControllerError(
    ControllerErrorCode.TIMEOUT,
    `Expected an answer from ${shownUrl(url)} within ${timeoutMs} ms, got none. Raise \`timeoutMs\` if it needs longer.`,
    { details: { url: shownUrl(url), timeoutMs }, cause },
  );
}
