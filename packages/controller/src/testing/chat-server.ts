import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { checkOptions } from "../check-options.ts";
import type { ChatBehaviour, ChatRequest, ChatStep } from "./chat-behaviour.ts";
import { completionBody, completionChunks } from "./chat-completion.ts";
import { responseBody, responseEvents } from "./response-events.ts";

/** A local server of language models with scripted answers. */
export interface ChatServer {
  /** `http://127.0.0.1:PORT/v1` */
  readonly baseURL: string;
  /** Every request so far, those without a behaviour included. */
  readonly requests: readonly ChatRequest[];
  /** Behaviours that no request has used yet. */
  readonly left: number;
  /** Ends all connections. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

export interface ChatServerOptions {
  /** Behaviours are used again from the first one when they run out. @default false: then 418 */
  readonly repeat?: boolean;
  /** Fields of a request that are refused with 400 at any time, without using a behaviour up. */
  readonly refuses?: readonly string[];
}

/**
 * Starts an HTTP server on a free local port that speaks chat completions and the Responses API, JSON and server-sent events,
 * and misbehaves by a script: one behaviour a request, in order. It is for tests and holds no model.
 */
export async function startChatServer(
  steps: readonly ChatStep[],
  options: ChatServerOptions = {},
): Promise<ChatServer> {
  checkOptions("`startChatServer`", options, { repeat: "boolean", refuses: "texts" });
  const { repeat = false, refuses = [] } = options;
  const requests: ChatRequest[] = [];
  const closing = new AbortController();
  let used = 0;

  function behaviourFor(request: ChatRequest): ChatBehaviour {
    const refused = refuses.find((field) => request.body?.[field] !== undefined);
    if (refused !== undefined) {
      return {
        status: 400,
        body: JSON.stringify({ error: { message: `${refused} is not supported`, param: refused } }),
      };
    }
    const step = steps[repeat && steps.length > 0 ? used % steps.length : used];
    if (step === undefined) {
      return { status: 418, body: JSON.stringify({ error: { message: "The script of this server has ended." } }) };
    }
    used += 1;
    return typeof step === "function" ? step(request) : step;
  }

  async function handle(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const request: ChatRequest = {
      method: incoming.method ?? "",
      path: incoming.url ?? "",
      headers: incoming.headers,
      body: parseBody(await readText(incoming)),
    };
    requests.push(request);
    const isChat = request.method === "POST" && (request.path.endsWith("/chat/completions") || isOfResponses(request));
    const behaviour: ChatBehaviour = isChat ? behaviourFor(request) : { status: 404, body: "Not found" };
    const gone = new AbortController();
    response.on("close", () => gone.abort());
    await perform(request, behaviour, response, AbortSignal.any([gone.signal, closing.signal]));
  }

  const server = createServer((incoming, response) => {
    // A client that hangs up ends the waits with an error that does not matter.
    handle(incoming, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;

  const close = async () => {
    closing.abort();
    server.closeAllConnections();
    await new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return {
    baseURL: `http://127.0.0.1:${port}/v1`,
    requests,
    get left() {
      return Math.max(0, steps.length - used);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

function isOfResponses({ path }: ChatRequest): boolean {
  return path.endsWith("/responses");
}

async function perform(
  request: ChatRequest,
  behaviour: ChatBehaviour,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const { delayMs = 0 } = behaviour;
  if (delayMs === Number.POSITIVE_INFINITY) {
    return;
  }
  if (delayMs > 0) {
    await wait(delayMs, undefined, { signal });
  }
  if (behaviour.drop === "before") {
    response.destroy();
    return;
  }
  if (behaviour.status !== undefined) {
    response.writeHead(behaviour.status, { "content-type": "application/json", ...behaviour.headers });
    response.end(behaviour.body ?? "");
    return;
  }
  if (request.body?.stream === true && !behaviour.ignoresStream) {
    await stream(request, behaviour, response, signal);
    return;
  }
  const body = isOfResponses(request) ? responseBody(request, behaviour) : completionBody(request, behaviour);
  response.writeHead(200, { "content-type": "application/json", ...behaviour.headers });
  if (behaviour.drop === "middle") {
    await write(response, body.slice(0, Math.floor(body.length / 2)));
    response.destroy();
    return;
  }
  response.end(body);
}

async function stream(
  request: ChatRequest,
  behaviour: ChatBehaviour,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  response.writeHead(200, { "content-type": "text/event-stream", ...behaviour.headers });
  response.flushHeaders();
  const chunks = isOfResponses(request) ? responseEvents(request, behaviour) : completionChunks(request, behaviour);
  const dropAfter = behaviour.drop === "middle" ? Math.floor(chunks.length / 2) : chunks.length;
  for (const chunk of chunks.slice(0, dropAfter)) {
    if (behaviour.pieceDelayMs) {
      await wait(behaviour.pieceDelayMs, undefined, { signal });
    }
    await write(response, `data: ${chunk}\n\n`);
  }
  if (behaviour.drop === "middle") {
    response.destroy();
  } else {
    response.end();
  }
}

/** Waits until the bytes have left, so that what follows cannot overtake them. */
function write(response: ServerResponse, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    response.write(text, (error) => (error ? reject(error) : resolve()));
  });
}

async function readText(incoming: IncomingMessage): Promise<string> {
  incoming.setEncoding("utf8");
  let text = "";
  for await (const chunk of incoming) {
    text += String(chunk);
  }
  return text;
}

function parseBody(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}
