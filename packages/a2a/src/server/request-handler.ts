import { AgentCard } from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { JsonRpcTransportHandler, ServerCallContext } from "@a2a-js/sdk/server";
import { type Planloom, RuntimeErrorCode } from "planloom";
import { bearsToken, bodyRefusal, ListenerLimit, readBody } from "planloom/serving";
import { checkOptions } from "../check-options.ts";
import { checkPlanloom, type PlanAgentOptions, planAgentChecks, pushRule } from "./agent-options.ts";
import { cardOf } from "./card.ts";
import { OnceHandler } from "./once-handler.ts";
import { PlanAgent } from "./plan-agent.ts";
import { PushConfigs } from "./push-configs.ts";
import { PushSender } from "./push-sender.ts";
import { RunTaskStore } from "./task-store.ts";

/** A Planloom as an A2A agent, to be mounted in any server that hands on standard requests. */
export interface A2aHandler {
  /** Answers the card at `/.well-known/agent-card.json` and messages (JSON-RPC) at every other path. */
  fetch(request: Request): Promise<Response>;
  /** Ends pushing; what was not pushed yet is left out. Safe to call again. */
  close(): void;
}

interface Transports {
  readonly current: JsonRpcTransportHandler;
  readonly legacy: LegacyJsonRpcTransportHandler;
}

const cardPaths = new Set(["/.well-known/agent-card.json", "/.well-known/agent.json"]);

/**
 * Publishes a Planloom as an A2A agent: a message is a goal in words, or data with `goal`, `plan` or `subgraph`; the task's id is that of its run.
 * @throws A2aError OPTION
 */
export function agentHandler(planloom: Planloom, options: PlanAgentOptions = {}): A2aHandler {
  checkPlanloom(planloom);
  checkOptions("`agentHandler`", options, planAgentChecks);
  const {
    token,
    maxBodyBytes = 16 * 1024 * 1024,
    bodyTimeoutMs = 30_000,
    maxKeptTasks = 1_000,
    maxListeners = 2_000,
  } = options;
  const listeners = new ListenerLimit(maxListeners);
  const bodyLimits = { maxBytes: maxBodyBytes, timeoutMs: bodyTimeoutMs };
  const closed = new AbortController();
  const store = new RunTaskStore(planloom, maxKeptTasks, options.tenant);
  const agent = new PlanAgent(planloom, options);
  const rule = pushRule(options.push ?? []);
  let transports: Promise<Transports> | undefined;
  // Only the card's part about the protocol is used, so that the handler is the same under every name of this host.
  const transportsAt = (url: string): Promise<Transports> => {
    transports ??= cardOf(planloom, options, url).then(
      (card) => {
        const configs = new PushConfigs(rule, maxKeptTasks);
        const sender = new PushSender(configs, rule, closed.signal);
        const handler = new OnceHandler(card, store, agent, undefined, configs, sender);
        return { current: new JsonRpcTransportHandler(handler), legacy: new LegacyJsonRpcTransportHandler(handler) };
      },
      (error: unknown) => {
        transports = undefined;
        throw error;
      },
    );
    return transports;
  };
  return {
    close: () => closed.abort(new Error("The agent was closed.")),
    async fetch(request: Request) {
      try {
        return await answer(request);
      } catch (error) {
        // The text may say how this program is configured; the code does not.
        const code = error instanceof Error && "code" in error ? ` (${String(error.code)})` : "";
        return problem(
          500,
          "SERVER_INTERNAL",
          `The agent cannot answer because of a fault in its own configuration${code}.`,
        );
      }
    },
  };
  async function answer(request: Request): Promise<Response> {
    const url = new URL(request.url);
    if (request.method === "GET" && cardPaths.has(url.pathname)) {
      const card = await cardOf(planloom, options, new URL("/a2a", url).href);
      return Response.json(AgentCard.toJSON(card), { headers: { "cache-control": "max-age=60" } });
    }
    if (request.method !== "POST")
      return problem(405, "SERVER_METHOD", "Expected a POST of a message, or a GET of the agent card.");
    if (token !== undefined && !bearsToken(request, token)) {
      return problem(401, "SERVER_UNAUTHENTICATED", "Expected the token of this agent.", {
        "www-authenticate": "Bearer",
      });
    }
    const body = await readBody(request, bodyLimits);
    if (typeof body === "number") {
      const { code, message } = bodyRefusal(body, bodyLimits);
      return problem(body, code, message, { connection: "close" });
    }
    const requestedVersion = request.headers.get("a2a-version") ?? "0.3";
    const { current, legacy } = await transportsAt(new URL("/a2a", url).href);
    const context = new ServerCallContext({ requestedVersion });
    const transport = requestedVersion.startsWith("0.") ? legacy : current;
    const answered = await listeners.answer(async () => {
      const reply = await transport.handle(body, context);
      return Symbol.asyncIterator in reply ? eventStream(reply) : Response.json(withCode(reply));
    });
    if (answered !== undefined) return answered;
    const { status, code, message, headers } = listeners.refusal;
    return problem(status, code, message, headers);
  }
}

/** An error of A2A with the code that other surfaces have for the same, as one more of its details. */
function withCode(reply: object): object {
  const { error } = reply as { readonly error?: { code?: unknown; message?: unknown; data?: unknown } };
  const isTask = /^Task not (?:found|cancelable)/.test(String(error?.message));
  const reason = isTask ? codes.get(error?.code) : undefined;
  if (reason === undefined) return reply;
  const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "planloom" };
  return { ...reply, error: { ...error, data: [...(Array.isArray(error?.data) ? error.data : []), info] } };
}

/** The codes of A2A for an unknown task, and for one that has ended. */
const codes: ReadonlyMap<unknown, string> = new Map([
  [-32_001, RuntimeErrorCode.RUN_NOT_FOUND],
  [-32_002, RuntimeErrorCode.NOT_RUNNING],
]);

function eventStream(events: AsyncGenerator<unknown, void, undefined>): Response {
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await events.next();
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(`data: ${JSON.stringify(value)}\n\n`));
    },
    async cancel() {
      await events.return(undefined);
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream", "cache-control": "no-cache" } });
}

/** A request that is refused before A2A reads it, with the code that the HTTP server has for the same. */
export function problem(
  status: number,
  code: string,
  error: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return Response.json({ error, code }, { status, headers });
}
