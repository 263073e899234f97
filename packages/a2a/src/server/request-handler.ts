import {
  AgentCard,
  type Message,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  TaskState,
} from "@a2a-js/sdk";
import { LegacyJsonRpcTransportHandler } from "@a2a-js/sdk/compat/v0_3/server";
import { DefaultRequestHandler, JsonRpcTransportHandler, ServerCallContext } from "@a2a-js/sdk/server";
import type { Planloom } from "planloom";
import { bearsToken, bodyRefusal, readBody } from "planloom/serving";
import { checkOptions } from "../check-options.ts";
import { checkPlanloom, type PlanAgentOptions, planAgentChecks } from "./agent-options.ts";
import { BoundedMap } from "./bounded-map.ts";
import { cardOf } from "./card.ts";
import { PlanAgent } from "./plan-agent.ts";
import { RunTaskStore } from "./task-store.ts";

/** A Planloom as an A2A agent, to be mounted in any server that hands on standard requests. */
export interface A2aHandler {
  /** Answers the card at `/.well-known/agent-card.json` and messages (JSON-RPC) at every other path. */
  fetch(request: Request): Promise<Response>;
}

const cardPaths = new Set(["/.well-known/agent-card.json", "/.well-known/agent.json"]);

/**
 * Publishes a Planloom as an A2A agent: a message is a goal in words, or data with `goal`, `plan` or `subgraph`; the task's id is that of its run.
 * @throws A2aError OPTION
 */
export function agentHandler(planloom: Planloom, options: PlanAgentOptions = {}): A2aHandler {
  checkPlanloom(planloom);
  checkOptions("`agentHandler`", options, planAgentChecks);
  const { token, maxBodyBytes = 16 * 1024 * 1024, bodyTimeoutMs = 30_000, maxKeptTasks = 1_000 } = options;
  const bodyLimits = { maxBytes: maxBodyBytes, timeoutMs: bodyTimeoutMs };
  const store = new RunTaskStore(planloom, maxKeptTasks);
  const agent = new PlanAgent(planloom, options);
  let transports:
    | {
        readonly url: string;
        readonly current: JsonRpcTransportHandler;
        readonly legacy: LegacyJsonRpcTransportHandler;
      }
    | undefined;
  const transportsAt = async (url: string) => {
    if (transports?.url === url) return transports;
    const handler = new OnceHandler(await cardOf(planloom, options, url), store, agent);
    transports = {
      url,
      current: new JsonRpcTransportHandler(handler),
      legacy: new LegacyJsonRpcTransportHandler(handler),
    };
    return transports;
  };
  return {
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
    const reply = await transport.handle(body, context);
    if (!(Symbol.asyncIterator in reply)) return Response.json(reply);
    return eventStream(reply);
  }
}

/** A message that came before is not carried out again: the task that was made of it answers. */
class OnceHandler extends DefaultRequestHandler {
  readonly #tasks = new BoundedMap<string, string>(10_000);

  override async sendMessage(params: SendMessageRequest, context: ServerCallContext): Promise<Message | Task> {
    const known = this.#known(params);
    if (known !== undefined) return this.getTask({ tenant: "", id: known }, context);
    const result = await super.sendMessage(params, context);
    if (!("messageId" in result)) this.#keep(params, result.id);
    return result;
  }

  override async *sendMessageStream(
    params: SendMessageRequest,
    context: ServerCallContext,
  ): AsyncGenerator<StreamResponse, void, undefined> {
    const known = this.#known(params);
    if (known !== undefined) {
      const task = await this.getTask({ tenant: "", id: known }, context);
      const isOpen =
        task.status?.state === TaskState.TASK_STATE_WORKING || task.status?.state === TaskState.TASK_STATE_SUBMITTED;
      if (isOpen) yield* this.resubscribe({ tenant: "", id: known }, context);
      else yield { payload: { $case: "task", value: task } };
      return;
    }
    for await (const event of super.sendMessageStream(params, context)) {
      if (event.payload?.$case === "task") this.#keep(params, event.payload.value.id);
      yield event;
    }
  }

  #known({ message }: SendMessageRequest): string | undefined {
    return message === undefined || message.messageId === "" ? undefined : this.#tasks.get(message.messageId);
  }

  #keep({ message }: SendMessageRequest, taskId: string): void {
    if (message !== undefined && message.messageId !== "") this.#tasks.set(message.messageId, taskId);
  }
}

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
