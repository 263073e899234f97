import { createHash, timingSafeEqual } from "node:crypto";
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
import { checkOptions, planServerChecks } from "./options.ts";
import { type PlanServerOptions, planServer } from "./plan-server.ts";

export interface McpHttpOptions extends PlanServerOptions {
  /** What requests bear in `Authorization`; none: everyone who reaches the server may do everything. */
  readonly token?: string | undefined;
  /** 0 for any that is free. @default 0 */
  readonly port?: number | undefined;
  /** Where it listens. Beyond this machine it needs a token. @default "127.0.0.1" */
  readonly host?: string | undefined;
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
} as const satisfies OptionChecks<McpHttpOptions>;

const path = "/mcp";
const loopback = new Set(["127.0.0.1", "::1", "localhost"]);

/**
 * Serves plans as tools over streamable HTTP at `/mcp`, without sessions. Without a token, requests that name another host than this machine, or
 * come from a page of another origin, are refused.
 * @throws PlanloomError OPTION, also for a host beyond this machine without a token; the error of the port where it is taken
 */
export async function serveMcpHttp(planloom: Planloom, options: McpHttpOptions = {}): Promise<McpHttpServer> {
  checkOptions("`serveMcpHttp`", options, httpChecks);
  const { token, port = 0, host = "127.0.0.1", ...rest } = options;
  if (token === undefined && !loopback.has(host)) {
    const message = `Listening on ${host} lets other machines in, and there is no token. Give \`token\`, or listen on 127.0.0.1.`;
    throw new PlanloomError(PlanloomErrorCode.OPTION, message, { details: { option: "host" } });
  }
  const handler = createMcpHandler(planServer(planloom, rest));
  const fetch = async (request: Request): Promise<Response> => {
    if (new URL(request.url).pathname !== path) return Response.json({ error: `MCP is at ${path}.` }, { status: 404 });
    if (token !== undefined && !bears(request, token)) {
      return Response.json(
        { error: "Expected the token." },
        { status: 401, headers: { "www-authenticate": "Bearer" } },
      );
    }
    const refused = token === undefined ? refusalOf(request) : undefined;
    return refused ?? handler.fetch(request);
  };
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false }) as Server;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  let closing: Promise<void> | undefined;
  const end = async () => {
    await handler.close();
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  const close = () => {
    closing ??= end();
    return closing;
  };
  const url = `http://${host.includes(":") ? `[${host}]` : host}:${bound}${path}`;
  return { url, close, [Symbol.asyncDispose]: close };
}

const refusalOf = (request: Request): Response | undefined =>
  hostHeaderValidationResponse(request, localhostAllowedHostnames()) ??
  originValidationResponse(request, localhostAllowedOrigins());

/** Compared by digests, which takes as long for a near guess as for any other. */
function bears(request: Request, token: string): boolean {
  const [, given = ""] = /^Bearer (.*)$/i.exec(request.headers.get("authorization") ?? "") ?? [];
  const digest = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digest(given), digest(token));
}
