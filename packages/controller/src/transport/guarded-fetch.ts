import { traceHeaders } from "@planloom/plan";
import { abortable } from "@planloom/plan/internals";
import { unreachable } from "./connection-errors.ts";
import { shownUrl } from "./endpoint.ts";
import { isEventStream } from "./event-stream.ts";
import { guardBody } from "./guard-body.ts";
import { statusError } from "./status-error.ts";

export type Fetch = typeof globalThis.fetch;

export interface GuardOptions {
  readonly fetch: Fetch;
  /** Limit of a response body, in bytes. */
  readonly maxBytes: number;
  /** Longest silence inside a body, in milliseconds; the reader of a stream of events watches that stream itself. */
  readonly idleTimeoutMs: number;
  /** Strings that must not show up in an error. */
  readonly secrets: readonly string[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const errorBodyBytes = 64 * 1024;

/**
 * A `fetch` for untrusted servers: no redirects, a limit on size and silence, and anything but 2xx is a `ControllerError`.
 * On abort it rejects with the signal's reason. Retries are the caller's.
 */
export function guardedFetch(options: GuardOptions): Fetch {
  return async (input, init) => {
    const url = shownUrl(input instanceof Request ? input.url : String(input));
    const signal = init?.signal ?? undefined;
    const { idleTimeoutMs, secrets } = options;
    const limits = { url, idleTimeoutMs, secrets, ...(signal ? { signal } : {}) };
    let response: Response;
    try {
      const asked = options.fetch(input, { ...init, ...inTrace(init?.headers), redirect: "manual" });
      // A `fetch` of the user's own may take no notice of the signal.
      response = await (signal === undefined ? asked : abortable(asked, signal, (late) => late.body?.cancel()));
    } catch (error) {
      throw signal?.aborted ? signal.reason : unreachable(url, error, options.secrets);
    }
    if (response.ok) {
      const noIdleLimit = isEventStream(response.headers) ? { idleTimeoutMs: Number.POSITIVE_INFINITY } : {};
      return response.body === null
        ? response
        : new Response(guardBody(response.body, { ...limits, ...noIdleLimit, maxBytes: options.maxBytes }), response);
    }
    const body = response.body
      ? await readStart(guardBody(response.body, { ...limits, maxBytes: errorBodyBytes }), signal)
      : "";
    throw statusError(url, response, body, options.secrets, options.now());
  };
}

/** The headers with those of the trace that the request belongs to. */
function inTrace(given: RequestInit["headers"]): Pick<RequestInit, "headers"> {
  const trace = Object.entries(traceHeaders());
  if (trace.length === 0) return {};
  const headers = new Headers(given);
  for (const [name, value] of trace) headers.set(name, value);
  return { headers };
}

/** What came of a body before it broke off or grew too long; the status says enough. */
async function readStart(body: ReadableStream<Uint8Array>, signal: AbortSignal | undefined): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of body) {
      text += decoder.decode(chunk, { stream: true });
    }
  } catch {
    if (signal?.aborted) {
      throw signal.reason;
    }
  }
  return text;
}
