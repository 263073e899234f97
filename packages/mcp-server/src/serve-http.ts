import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  localhostAllowedOrigins,
  originValidationResponse,
} from "@modelcontextprotocol/server";
import { type Planloom, PlanloomError, PlanloomErrorCode } from "planloom";
import type { OptionChecks } from "planloom/plan";
import {
  bearsToken,
  bodyRefusal,
  isLoopback,
  ListenerLimit,
  listenOn,
  readBody,
  requestTimeouts,
} from "planloom/serving";
import { checkOptions, planServerChecks } from "./options.ts";
import { type PlanServerOptions, planServer } from "./plan-server.ts";

export interface McpHttpOptions extends PlanServerOptions {
  /** What requests bear in `Authorization`; none: everyone who reaches the server may do everything. */
  readonly token?: string | undefined;
  /** 0 for any that is free. @default 0 */
  readonly port?: number | undefined;
  /** Where it listens. Beyond this machine it needs a token. @default "127.0.0.1" */
  readonly host?: string | undefined;
  /** How long a body may take to come, in milliseconds. @default 30_000 */
  readonly bodyTimeoutMs?: number | undefined;
  /** Clients that may listen to the answers of their calls at once; one more is refused (503, SERVER_TOO_MANY_LISTENERS). @default 2_000 */
  readonly maxListeners?: number | undefined;
}

export interface McpHttpServer extends AsyncDisposable {
  /** With the path: what a client is given. */
  readonly url: string;
  close(): Promise<void>;
}

const httpChecks = {
  ...planServerChecks,
  token: "name",
  port: "wholeNumber",
  host: "name",
  bodyTimeoutMs: "positive",
  maxListeners: "count",
} as const satisfies OptionChecks<McpHttpOptions>;

const path = "/mcp";
const maxBodyBytes = 8 * 1024 * 1024;

/**
 * Serves plans as tools over streamable HTTP at `/mcp`, without sessions. Without a token, requests that name another host than this machine, or
 * come from a page of another origin, are refused.
 * @throws PlanloomError OPTION, also for a host beyond this machine without a token; the error of the port where it is taken
 */
export async function serveMcpHttp(planloom: Planloom, options: McpHttpOptions = {}): Promise<McpHttpServer> {
  checkOptions("`serveMcpHttp`", options, httpChecks);
  const { token, port = 0, host = "127.0.0.1", bodyTimeoutMs = 30_000, maxListeners = 2_000, ...rest } = options;
  if (token === undefined && !isLoopback(host)) {
    const message = `Listening on ${host} lets other machines in, and there is no token. Give \`token\`, or listen on 127.0.0.1.`;
    throw new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { option: "host" } });
  }
  const handler = createMcpHandler(planServer(planloom, rest));
  const listeners = new ListenerLimit(maxListeners);
  const bodyLimits = { maxBytes: maxBodyBytes, timeoutMs: bodyTimeoutMs };
  const fetch = async (request: Request): Promise<Response> => {
    if (new URL(request.url).pathname !== path) return refusal(404, "SERVER_NOT_FOUND", `MCP is at ${path}.`);
    if (token !== undefined && !bearsToken(request, token)) {
      const message = "Expected the token in the header `Authorization: Bearer TOKEN`.";
      return refusal(401, "SERVER_UNAUTHENTICATED", message, { "www-authenticate": "Bearer" });
    }
    if (token === undefined) {
      if (hostHeaderValidationResponse(request, localhostAllowedHostnames()) !== undefined) {
        return refusal(
          421,
          "SERVER_HOST",
          "Expected the header `Host` to name this machine: without a token no other name is taken.",
        );
      }
      if (originValidationResponse(request, localhostAllowedOrigins()) !== undefined) {
        return refusal(403, "SERVER_ORIGIN", "Pages of other origins may make no requests here.");
      }
    }
    const body = await readBody(request, bodyLimits);
    if (typeof body === "number") {
      const { code, message } = bodyRefusal(body, bodyLimits);
      return refusal(body, code, message, { connection: "close" });
    }
    const { method, url, headers, signal } = request;
    const whole = request.body === null ? request : new Request(url, { method, headers, body, signal });
    const answered = await listeners.answer(() => handler.fetch(whole));
    if (answered !== undefined) return answered;
    const { status, code, message, headers: more } = listeners.refusal;
    return refusal(status, code, message, more);
  };
  const server = createAdaptorServer({
    fetch,
    overrideGlobalObjects: false,
    serverOptions: requestTimeouts(bodyTimeoutMs),
  }) as Server;
  const listening = await listenOn(server, { host, port });
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= handler.close().then(() => listening.close());
    return closing;
  };
  return { url: `${listening.origin}${path}`, close, [Symbol.asyncDispose]: close };
}

/** A request that is refused before MCP reads it: as JSON-RPC, with the code that the HTTP server has for the same. */
function refusal(
  status: number,
  code: string,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  const error = { code: -32_000, message, data: { code } };
  return Response.json({ jsonrpc: "2.0", error, id: null }, { status, headers });
}
