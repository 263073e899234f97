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

/** The server refused a request, or failed. `code` is that of the error, as the library has it. */
export class ClientError extends Error {
  override readonly name = "ClientError";
  /** Of HTTP. */
  readonly status: number;
  readonly code: string;
  readonly details: unknown;

  constructor(status: number, { code, message, details }: Problem["error"]) {
    super(message);
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

/** A client for the server of `@planloom/server`. It loads nothing of the library, so that it may go into a page. */
export function createClient(options: ClientOptions): Client {
  const send = sender(options);
  const methods: Record<string, unknown> = {};
  for (const name of Object.keys(routes) as EndpointName[]) {
    methods[name] = async (input: Readonly<Record<string, unknown>> = {}, request: RequestOptions = {}) => {
      const response = await send(name, input, request);
      return response.json();
    };
  }
  methods.metrics = async (request: RequestOptions = {}) => (await send("metrics", {}, request)).text();
  methods.runEvents = (run_id: string, { after, follow, signal }: EventsOptions = {}) => {
    const open = async (last: number | undefined) => {
      const headers = last === undefined ? {} : { "last-event-id": String(last) };
      const input = { run_id, ...(follow !== undefined && { follow: String(follow) }) };
      const response = await send("runEvents", input, { ...(signal !== undefined && { signal }) }, headers);
      return response.status === 204 ? undefined : (response.body ?? undefined);
    };
    return eventsFrom(
      open,
      { ...(after !== undefined && { after }), ...(signal !== undefined && { signal }) },
      (error) => error instanceof ClientError && error.status < 500 && error.status !== 429,
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
    const rest = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, id: string) => {
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
    const response = await send(base + filled + query, {
      method,
      headers: {
        ...(hasBody && { "content-type": "application/json" }),
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
        ...more,
      },
      ...(hasBody && { body: JSON.stringify(Object.fromEntries(rest)) }),
      ...(signal !== undefined && { signal }),
    });
    if (response.ok) return response;
    throw new ClientError(response.status, await problemIn(response));
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

/** What a proxy in between answers has another form. */
async function problemIn(response: Response): Promise<Problem["error"]> {
  const text = await response.text();
  try {
    const { error, message } = JSON.parse(text) as Partial<Problem> & { readonly message?: string };
    if (error !== undefined) return error;
    if (message !== undefined) return { code: "HTTP_ERROR", message };
  } catch {
    // The line below says what there is to say.
  }
  return { code: "HTTP_ERROR", message: `The server answered ${response.status}: ${text.slice(0, 200)}` };
}
