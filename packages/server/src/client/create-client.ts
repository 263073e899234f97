import type { SubscribedEvent } from "planloom/events";
import type { ReplyOf } from "../api/endpoints.ts";
import { type EndpointName, routeOf, routes } from "../api/routes.ts";
import type { Problem } from "../http/problem.ts";
import { type EventsOptions, eventsFrom } from "./events.ts";
import type { EndpointInput } from "./input-of.ts";

export interface ClientOptions {
  /** Where the server is, with the path under which it is mounted: `http://127.0.0.1:8888`. */
  readonly url: string;
  readonly token?: string;
  /** @default globalThis.fetch */
  readonly fetch?: typeof fetch;
}

export interface RequestOptions {
  readonly signal?: AbortSignal;
  /** For a request that starts something: sent again with the same key, it starts nothing again. */
  readonly idempotencyKey?: string;
}

/**
 * The server refused a request, or failed: `code` is that of the error, as the library has it. Or there is no server: SERVER_UNREACHABLE where
 * nothing answers, or the connection breaks within an answer, HTTP_ERROR where something else than a server of Planloom does. SERVER_OPTION for an option or an input that can be no request.
 */
export class ClientError extends Error {
  override readonly name = "ClientError";
  /** Of HTTP; 0 where nothing answered. */
  readonly status: number;
  readonly code: string;
  readonly details: unknown;

  constructor(status: number, { code, message, details }: Problem["error"], options?: ErrorOptions) {
    super(message, options);
    this.status = status;
    this.code = code;
    this.details = details;
  }
}

/** Endpoints that answer JSON. */
type JsonEndpoint = Exclude<EndpointName, "runEvents" | "metrics">;

type Method<Name extends JsonEndpoint> =
  object extends EndpointInput<Name>
    ? (input?: EndpointInput<Name>, options?: RequestOptions) => Promise<ReplyOf<Name>>
    : (input: EndpointInput<Name>, options?: RequestOptions) => Promise<ReplyOf<Name>>;

/** A method for each endpoint, by its name in the OpenAPI document. Each rejects with `ClientError` where the server refuses. */
export type Client = { readonly [Name in JsonEndpoint]: Method<Name> } & {
  /** The events of a run, each once and in order; where a connection breaks, it comes back for what is missing. @throws ClientError */
  readonly runEvents: (runId: string, options?: EventsOptions) => AsyncGenerator<SubscribedEvent, undefined>;
  /** The figures in Prometheus' text format. */
  readonly metrics: (options?: RequestOptions) => Promise<string>;
};

/**
 * A client for the server of `@planloom/server`. It loads nothing of the library, so that it may go into a page.
 * @throws ClientError SERVER_OPTION
 */
export function createClient(options: ClientOptions): Client {
  checkOptions(options);
  const send = sender(options);
  const methods: Record<string, unknown> = {};
  for (const name of Object.keys(routes) as EndpointName[]) {
    methods[name] = async (input: Readonly<Record<string, unknown>> = {}, request: RequestOptions = {}) => {
      return jsonIn(await send(name, input, request), request.signal);
    };
  }
  methods.metrics = async (request: RequestOptions = {}) => textIn(await send("metrics", {}, request), request.signal);
  methods.runEvents = (run_id: string, { after, follow, signal }: EventsOptions = {}) => {
    const open = async (last: number | undefined) => {
      const headers = last === undefined ? {} : { "last-event-id": String(last) };
      const input = { run_id, ...(follow !== undefined && { follow: String(follow) }) };
      const response = await send("runEvents", input, { ...(signal !== undefined && { signal }) }, headers);
      if (response.status === 204) return undefined;
      const type = response.headers.get("content-type") ?? "nothing";
      if (!type.startsWith("text/event-stream")) {
        await response.body?.cancel();
        throw foreignAnswer(response, `events, got ${type}`);
      }
      return response.body ?? undefined;
    };
    return eventsFrom(
      open,
      { ...(after !== undefined && { after }), ...(signal !== undefined && { signal }) },
      (error, isFirst) =>
        error instanceof ClientError && (error.status === 0 ? isFirst : error.status < 500 && error.status !== 429),
    );
  };
  return methods as unknown as Client;
}

type Send = (
  name: EndpointName,
  input: Readonly<Record<string, unknown>>,
  request: RequestOptions,
  headers?: Readonly<Record<string, string>>,
) => Promise<Response>;

function sender({ url, token, fetch: send = globalThis.fetch }: ClientOptions): Send {
  const base = url.replace(/\/+$/, "");
  return async (name, input, { signal, idempotencyKey }, more = {}) => {
    const { method, path } = routeOf(name);
    if (typeof input !== "object" || input === null)
      throw optionError(`Expected the input of \`${name}\` to be an object of fields, got ${JSON.stringify(input)}.`);
    const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, id: string) => {
      if (!rest.has(id)) throw optionError(`Expected the input of \`${name}\` to have \`${id}\`.`);
      const value = String(rest.get(id));
      // A URL reads these as steps to another path, and another endpoint would be asked.
      if (value === "." || value === "..") {
        const message = `Nothing can have the ${id} ${JSON.stringify(value)}.`;
        throw new ClientError(404, { code: "SERVER_NOT_FOUND", message });
      }
      rest.delete(id);
      return encodeURIComponent(value);
    });
    const hasBody = method === "POST" || method === "PUT";
    const query = hasBody ? "" : queryOf(rest);
    const request = {
      method,
      headers: {
        ...(hasBody && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
        ...more,
      },
      ...(hasBody && { body: JSON.stringify(Object.fromEntries(rest)) }),
      ...(signal !== undefined && { signal }),
    };
    const response = await send(base + filled + query, request).catch((error: unknown) => {
      throw signal?.aborted === true ? error : unreachable(base, error);
    });
    if (response.ok) return response;
    throw new ClientError(response.status, await problemIn(response, signal));
  };
}

function queryOf(values: ReadonlyMap<string, unknown>): string {
  const query = new URLSearchParams();
  for (const [name, value] of values) {
    query.set(
      name,
      Array.isArray(value) ? value.join(",") : typeof value === "object" ? JSON.stringify(value) : String(value),
    );
  }
  const text = query.toString();
  return text === "" ? "" : `?${text}`;
}

function checkOptions(options: ClientOptions): void {
  const { url, token, fetch: send } = options ?? {};
  // In a page an address may be relative to it.
  const page = (globalThis as { readonly location?: { readonly href: string } }).location?.href;
  const isUrl = typeof url === "string" && /^https?:$/.test(URL.parse(url, page)?.protocol ?? "");
  if (!isUrl) {
    const message = `Expected \`url\` of \`createClient\` to be an address such as "http://127.0.0.1:8888", got ${JSON.stringify(url)}.`;
    throw optionError(message);
  }
  if (token !== undefined && typeof token !== "string")
    throw optionError("Expected `token` of `createClient` to be a text.");
  if (send !== undefined && typeof send !== "function")
    throw optionError("Expected `fetch` of `createClient` to be a function.");
}

function optionError(message: string): ClientError {
  return new ClientError(0, { code: "SERVER_OPTION", message });
}

/** `fetch` says no more than that it failed; its cause says why. */
function unreachable(url: string, error: unknown): ClientError {
  const message = `The server at ${url} cannot be reached: ${whyOf(error)}.`;
  return new ClientError(0, { code: "SERVER_UNREACHABLE", message, details: { url } }, { cause: error });
}

function whyOf(error: unknown): string {
  const { cause, message } = error instanceof Error ? error : new Error(String(error));
  return cause instanceof Error ? ((cause as { code?: string }).code ?? cause.message) : message;
}

/** Something else answered than a server of Planloom: the page of another one, or a proxy's. */
function foreignAnswer({ status, url }: Response, got: string): ClientError {
  const message = `Expected the server to answer with ${got}. Is a Planloom mounted at ${url}?`;
  return new ClientError(status, { code: "HTTP_ERROR", message });
}

/** @throws ClientError where the connection breaks within the answer; what aborts the signal */
async function textIn(response: Response, signal: AbortSignal | undefined): Promise<string> {
  try {
    return await response.text();
  } catch (error) {
    if (signal?.aborted === true) throw error;
    const { url } = response;
    const message = `The answer of the server at ${url} broke off: ${whyOf(error)}. A request that starts something may have done so: send it again with the same \`idempotencyKey\`.`;
    throw new ClientError(0, { code: "SERVER_UNREACHABLE", message, details: { url } }, { cause: error });
  }
}

async function jsonIn(response: Response, signal: AbortSignal | undefined): Promise<unknown> {
  const text = await textIn(response, signal);
  try {
    return JSON.parse(text);
  } catch {
    throw foreignAnswer(response, `JSON, got ${JSON.stringify(text.slice(0, 100))}`);
  }
}

/** What a proxy in between answers has another form. */
async function problemIn(response: Response, signal: AbortSignal | undefined): Promise<Problem["error"]> {
  const text = await textIn(response, signal);
  try {
    const { error, message } = JSON.parse(text) as Partial<Problem> & { readonly message?: string };
    if (error !== undefined) return error;
    if (message !== undefined) return { code: "HTTP_ERROR", message };
  } catch {
    // The line below says what there is to say.
  }
  return { code: "HTTP_ERROR", message: `The server answered ${response.status}: ${text.slice(0, 200)}` };
}
