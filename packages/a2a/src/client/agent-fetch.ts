import { A2aError, A2aErrorCode } from "../errors.ts";

export interface AgentFetchOptions {
  readonly agent: string;
  readonly fetch: typeof fetch;
  /** Of one body, in bytes. */
  readonly maxBytes: number;
  /** Where requests may go; credentials go nowhere else. */
  readonly origins: ReadonlySet<string>;
  /** The request with what authenticates it. */
  readonly authorize: (url: URL, headers: Headers, signal: AbortSignal | undefined) => Promise<void>;
  /** Names of the security schemes of the card, for errors. */
  readonly schemes: () => readonly string[];
}

/**
 * A `fetch` for an agent: it goes to known origins alone, follows no redirect, sends credentials, and limits the size of a body. Statuses that say something of the way
 * to the agent rather than of the call are errors.
 */
export function agentFetch(options: AgentFetchOptions): typeof fetch {
  const { agent, origins, maxBytes } = options;
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : String(input));
    if (!origins.has(url.origin)) throw originError(agent, url.origin);
    const headers = new Headers(init?.headers);
    const signal = init?.signal ?? undefined;
    await options.authorize(url, headers, signal);
    let response: Response;
    try {
      response = await options.fetch(url, { ...init, headers, redirect: "manual" });
    } catch (cause) {
      signal?.throwIfAborted();
      throw unreachable(agent, url, reasonOf(cause), { cause, not_taken: neverSent(cause) });
    }
    const { status } = response;
    if (status === 401 || status === 403) {
      await response.body?.cancel();
      const schemes = options.schemes();
      const named = schemes.length === 0 ? "Its card names no security scheme" : `Its card names ${schemes.join(", ")}`;
      const message = `Agent "${agent}" refuses the credentials, or their absence (HTTP ${status}). ${named}.`;
      throw new A2aError(A2aErrorCode.AUTH, message, { details: { agent, url: shown(url), status, schemes } });
    }
    const isElsewhere = (status >= 300 && status < 400) || status === 429 || status >= 500;
    if (isElsewhere && !isJson(response)) {
      await response.body?.cancel();
      throw unreachable(agent, url, `it answers with HTTP ${status}`, { status, not_taken: refusals.has(status) });
    }
    if (response.body === null) return response;
    return new Response(response.body.pipeThrough(limited(agent, maxBytes)), response);
  };
}

/** Passes bytes on until there are too many. */
function limited(agent: string, maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength;
      if (bytes <= maxBytes) controller.enqueue(chunk);
      else controller.error(tooLarge(agent, maxBytes));
    },
  });
}

export function tooLarge(agent: string, maxBytes: number): A2aError {
  const message = `Agent "${agent}" sent more than ${maxBytes} bytes. Ask it for less, or raise \`maxResultBytes\`.`;
  return new A2aError(A2aErrorCode.RESULT_TOO_LARGE, message, { details: { agent, maxBytes } });
}

export function originError(agent: string, origin: string): A2aError {
  const message = `The card of agent "${agent}" names an address on ${origin}, which is not where the card is. Messages and credentials would go there; name it in \`origins\` if you trust it.`;
  return new A2aError(A2aErrorCode.ORIGIN, message, { details: { agent, origin } });
}

function unreachable(
  agent: string,
  url: URL,
  problem: string,
  about: { readonly status?: number; readonly cause?: unknown; readonly not_taken: boolean },
): A2aError {
  const { cause, status, not_taken } = about;
  const details = { agent, url: shown(url), ...(status !== undefined && { status }), ...(not_taken && { not_taken }) };
  return new A2aError(A2aErrorCode.UNREACHABLE, `Agent "${agent}" cannot be reached at ${shown(url)}: ${problem}.`, {
    details,
    cause,
  });
}

/** With these a server says that it has not taken the request up. */
const refusals = new Set([429, 503]);

/** Whether a request failed before anything of it was sent. */
function neverSent(error: unknown): boolean {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  return /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|UND_ERR_CONNECT_TIMEOUT|ERR_TLS_\w+|CERT_\w+|\w+_CERT\w*)$/.test(
    code,
  );
}

/** Without the query, which may hold keys. */
export const shown = (url: URL): string => url.origin + url.pathname;

const isJson = (response: Response): boolean => /json/i.test(response.headers.get("content-type") ?? "");

function reasonOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  return cause instanceof Error ? cause.message || cause.name : String(cause);
}
