import { randomUUID } from "node:crypto";
import { type Context, Hono } from "hono";
import { cors as corsOf } from "hono/cors";
import { PlanErrorCode, readTraceHeaders, withTraceHeaders } from "planloom/plan";
import type { Doorway } from "./access/doorway.ts";
import type { Caller } from "./access/tokens.ts";
import { approvalHandlers } from "./api/approval-handlers.ts";
import { checkRequest } from "./api/check-request.ts";
import { controllerHandlers } from "./api/controller-handlers.ts";
import type { Endpoint } from "./api/endpoint.ts";
import { endpoints } from "./api/endpoints.ts";
import type { AdmittedRequest, Handler } from "./api/handler.ts";
import { invalidRequest, type RequestIssue } from "./api/invalid-request.ts";
import { pageHandlers, servePage } from "./api/page-handlers.ts";
import { planHandlers } from "./api/plan-handlers.ts";
import { type EndpointName, type Route, routeOf, routes } from "./api/routes.ts";
import { runHandlers } from "./api/run-handlers.ts";
import { ServerError, ServerErrorCode } from "./errors.ts";
import { problemOf } from "./http/problem.ts";
import { type BodyLimits, readJson } from "./http/read-json.ts";
import { answeredOnce, keyedRequest } from "./idempotency.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import { openApi } from "./openapi.ts";
import type { Workspace } from "./workspace.ts";

/** Codes of bodies that were not read to their end. */
const unreadBodies: ReadonlySet<string> = new Set([
  ServerErrorCode.BODY_TOO_LARGE,
  ServerErrorCode.BODY_TIMEOUT,
  PlanErrorCode.TOO_LARGE,
]);

/** What `@hono/node-server` hands along with a request. */
export interface RequestEnvironment {
  readonly incoming?: { readonly socket?: { readonly remoteAddress?: string | undefined } };
}

export interface RequestParts {
  readonly doorway: Doorway;
  readonly basePath: string;
  readonly state: { readonly isReady: boolean; readonly isStopping: boolean };
  readonly bodyLimits: BodyLimits;
  readonly cors: readonly string[];
  readonly metrics: Metrics;
  readonly log: Log;
  readonly now: () => number;
  workspaceOf(caller: Caller): Workspace;
  /** Names of journals, which are files of the server's machine: they are left out of what callers read. */
  readonly journals: readonly string[];
}

type Environment = { Bindings: RequestEnvironment; Variables: { endpoint?: string; requestId?: string } };
type Work = (context: Context<Environment>) => Promise<Response>;

/** All that is answered with the work of a home. Each is of the type of its own endpoint, which the record forgets. */
const handlers: Partial<Record<EndpointName, Handler<never>>> = {
  ...planHandlers,
  ...runHandlers,
  ...approvalHandlers,
  ...controllerHandlers,
  ...pageHandlers,
};

/** The paths of the server as one handler of requests. */
export function requestHandler(parts: RequestParts): (request: Request, env?: RequestEnvironment) => Promise<Response> {
  const app = new Hono<Environment>({ strict: false }).basePath(parts.basePath);
  app.use("*", async (context, next) => {
    const requestId = randomUUID();
    const begun = performance.now();
    context.set("requestId", requestId);
    context.set("endpoint", "none");
    await next();
    context.header("x-request-id", requestId);
    context.header("x-content-type-options", "nosniff");
    if (!context.res.headers.has("cache-control")) context.header("cache-control", "no-store");
    parts.metrics.answered(context.get("endpoint") ?? "none", context.res.status, (performance.now() - begun) / 1_000);
  });
  if (parts.cors.length > 0) app.use("*", corsFor(parts.cors));
  app.use("*", async (context, next) => {
    parts.doorway.checkHost(context.req.raw);
    await next();
  });
  const special = specialWork(parts);
  const methods = new Map<string, string[]>();
  for (const name of Object.keys(routes) as EndpointName[]) {
    const { method, path } = routeOf(name);
    const pattern = path.replaceAll(/\{(\w+)\}/g, ":$1");
    methods.set(pattern, [...(methods.get(pattern) ?? []), method]);
    const work = special[name] ?? homeWork(name, endpoints[name], handlers[name]!, parts);
    app.on(method as Route["method"], pattern, (context) => {
      context.set("endpoint", name);
      return work(context);
    });
  }
  for (const [pattern, allowed] of methods) {
    app.all(pattern, (context) => {
      throw new ServerError(
        ServerErrorCode.METHOD,
        `${context.req.path} takes ${allowed.join(" and ")}, got ${context.req.method}.`,
        { details: { allowed } },
      );
    });
  }
  app.notFound((context) => {
    const path = context.req.path.slice(0, 200);
    const message = `There is nothing at ${path}. GET ${parts.basePath}/openapi.json lists what there is.`;
    return refuse(new ServerError(ServerErrorCode.NOT_FOUND, message, { details: { path } }), context, parts);
  });
  app.onError((error, context) => refuse(error, context, parts));
  return async (request, environment = {}) =>
    request.method === "HEAD"
      ? headOf(request, (asked) => app.fetch(asked, environment))
      : app.fetch(request, environment);
}

/** What a request for the head alone is answered with. The body is ended here: a stream that nobody reads would be held open for good. */
async function headOf({ url, headers, signal }: Request, answer: (request: Request) => Response | Promise<Response>) {
  const response = await answer(new Request(url, { method: "GET", headers, signal }));
  await response.body?.cancel();
  return new Response(null, response);
}

function corsFor(origins: readonly string[]) {
  return corsOf({
    origin: origins.includes("*") ? "*" : [...origins],
    allowMethods: ["GET", "POST", "PUT", "DELETE"],
    allowHeaders: ["authorization", "content-type", "idempotency-key", "last-event-id"],
    exposeHeaders: ["retry-after", "x-request-id", "idempotent-replayed"],
    maxAge: 600,
  });
}

/** Answers that need no home. */
function specialWork({ state, metrics, doorway }: RequestParts): Partial<Record<EndpointName, Work>> {
  let document: object | undefined;
  return {
    page: (context) => servePage(new URL(context.req.raw.url).pathname),
    live: async () => Response.json({ status: "ok" }),
    ready: async () => {
      if (state.isReady && !state.isStopping) return Response.json({ status: "ready" });
      return Response.json({ status: state.isStopping ? "stopping" : "starting" }, { status: 503 });
    },
    openapi: async () => {
      document ??= openApi();
      return Response.json(document);
    },
    metrics: async (context) => {
      const caller = doorway.admit(context.req.raw, "read", addressOf(context));
      if (caller.tenant === undefined) return metrics.text();
      const message = "The figures are those of all tenants, so a token of one tenant does not see them.";
      throw new ServerError(ServerErrorCode.SCOPE, message, { details: { scope: "read" } });
    },
  };
}

/** What is done with a request to an endpoint: it is let in, read, checked, done once and answered. */
function homeWork(name: EndpointName, endpoint: Endpoint, handler: Handler<never>, parts: RequestParts): Work {
  return async (context) => {
    const request = context.req.raw;
    const caller = parts.doorway.admit(request, endpoint.scope as "read", addressOf(context));
    if (parts.state.isStopping) throw stopping();
    const raw = {
      params: context.req.param(),
      query: singleValues(context.req.queries()),
      body: endpoint.body === undefined ? undefined : await readJson(request, parts.bodyLimits, holdsPlan(endpoint)),
    };
    const checked = checkRequest(endpoint, raw);
    const { headers, signal } = request;
    const keyed = endpoint.starts === true ? keyedRequest(headers, caller, name, checked) : undefined;
    const workspace = parts.workspaceOf(caller);
    const answer = async (): Promise<Response> => {
      const admitted = { ...checked, workspace, caller, headers, signal, keyDigest: keyed?.keyDigest };
      const reply = await handler(admitted as unknown as AdmittedRequest<never>);
      return (reply as unknown) instanceof Response
        ? (reply as unknown as Response)
        : Response.json(reply, { status: endpoint.reply.status });
    };
    const { method, path } = routeOf(name);
    const { telemetry } = workspace.planloom;
    const work = () =>
      withTraceHeaders(
        readTraceHeaders((header) => headers.get(header)),
        () =>
          telemetry === undefined ? answer() : telemetry.call({ name: "request", title: `${method} ${path}` }, answer),
      );
    return keyed === undefined ? work() : answeredOnce(keyed, workspace.store, parts.now(), work);
  };
}

function refuse(error: unknown, context: Context<Environment>, { log, journals }: RequestParts): Response {
  // A path outside of `basePath` has passed nothing that sets these.
  const requestId = context.get("requestId") ?? randomUUID();
  const endpoint = context.get("endpoint") ?? "none";
  const { status, body } = problemOf(error, requestId, journals);
  if (status >= 500) log.error({ request_id: requestId, path: context.req.path, err: error }, "a request failed");
  const { code, details } = body.error;
  const headers = new Headers();
  if (code === ServerErrorCode.UNAUTHENTICATED) headers.set("www-authenticate", "Bearer");
  const wait = (details as { readonly retry_after_ms?: unknown } | undefined)?.retry_after_ms;
  if (typeof wait === "number") headers.set("retry-after", String(Math.ceil(wait / 1_000)));
  const allowed = (details as { readonly allowed?: unknown } | undefined)?.allowed;
  if (code === ServerErrorCode.METHOD && Array.isArray(allowed)) headers.set("allow", allowed.join(", "));
  // What was not read of the body is not waited for.
  if (unreadBodies.has(code)) headers.set("connection", "close");
  // The Agents Planning System reads `success` and `message`.
  const isController = endpoint.startsWith("processPhase");
  return Response.json(isController ? { success: false, message: body.error.message, ...body } : body, {
    status,
    headers,
  });
}

/** The query with one value for each name: of two, neither is the one that is meant. @throws ServerError INVALID_REQUEST */
function singleValues(queries: Readonly<Record<string, readonly string[]>>): Record<string, string> {
  const values: Record<string, string> = Object.create(null);
  const issues: RequestIssue[] = [];
  for (const [path, [first = "", ...others]] of Object.entries(queries)) {
    values[path] = first;
    if (others.length > 0) issues.push({ in: "query", path, message: "given more than once" });
  }
  if (issues.length > 0) throw invalidRequest(issues);
  return values;
}

function stopping(): ServerError {
  return new ServerError(ServerErrorCode.STOPPING, "The server is stopping. Try again in a moment.", {
    details: { retry_after_ms: 2_000 },
  });
}

function addressOf(context: Context<Environment>): string | undefined {
  return context.env?.incoming?.socket?.remoteAddress;
}

/** Whether what an endpoint takes has a plan, which is most of it. */
function holdsPlan({ body }: Endpoint): boolean {
  return body !== undefined && "shape" in body && Object.hasOwn(body.shape as object, "plan");
}
