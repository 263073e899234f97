import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { AgentCard, type Artifact, type Message, type Part, Role, TaskState } from "@a2a-js/sdk";
import {
  AgentEvent,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  JsonRpcTransportHandler,
  type RequestContext,
  ServerCallContext,
} from "@a2a-js/sdk/server";

export const text = (value: string): Part => ({
  content: { $case: "text", value },
  metadata: undefined,
  filename: "",
  mediaType: "text/plain",
});
export const data = (value: unknown): Part => ({
  content: { $case: "data", value },
  metadata: undefined,
  filename: "",
  mediaType: "application/json",
});

/** What an agent of a test may do with a message. */
export interface Turn {
  readonly message: Message;
  readonly taskId: string;
  /** The words of the message. */
  readonly words: string;
  /** The data of the message. */
  readonly data: unknown;
  /** True for a message to a task that there was before. */
  readonly isFollowUp: boolean;
  task(): void;
  status(state: TaskState, said?: readonly Part[]): void;
  artifact(parts: readonly Part[], options?: { readonly id?: string; readonly append?: boolean }): void;
  reply(parts: readonly Part[]): void;
}

export interface TestAgentOptions {
  readonly card?: Readonly<Record<string, unknown>>;
  readonly onTurn: (turn: Turn) => Promise<void> | void;
  readonly onCancel?: (taskId: string) => void;
  /** Looks at a request first; true: it was answered. */
  readonly before?: (request: IncomingMessage, response: ServerResponse, body: string) => boolean | Promise<boolean>;
  readonly port?: number;
}

export interface TestAgent extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** The messages that came. */
  readonly messages: Message[];
  /** The methods that were called. */
  readonly calls: string[];
  card: Record<string, unknown>;
  /** What answers, for other bindings of the protocol. */
  readonly handler: DefaultRequestHandler;
  /** Breaks every connection, and takes no new one until `start`. */
  stop(): Promise<void>;
  start(): Promise<void>;
}

const states = new Set([TaskState.TASK_STATE_COMPLETED, TaskState.TASK_STATE_FAILED, TaskState.TASK_STATE_REJECTED]);

/** An A2A agent over JSON-RPC, made with the official SDK, on a free port of this machine. */
export async function testAgent(options: TestAgentOptions): Promise<TestAgent> {
  const messages: Message[] = [];
  const calls: string[] = [];
  const buses = new Map<string, { readonly bus: ExecutionEventBus; readonly contextId: string }>();
  const store = new InMemoryTaskStore();
  const executor = {
    async execute(context: RequestContext, bus: ExecutionEventBus) {
      const { userMessage: message, taskId, contextId } = context;
      messages.push(message);
      buses.set(taskId, { bus, contextId });
      const status = (state: TaskState, said: readonly Part[] = []) => ({
        state,
        timestamp: new Date().toISOString(),
        message: said.length === 0 ? undefined : agentMessage(said, taskId, contextId),
      });
      const words = message.parts
        .flatMap(({ content }) => (content?.$case === "text" ? [content.value] : []))
        .join(" ");
      const values = message.parts.flatMap(({ content }) =>
        content?.$case === "data" ? [content.value as unknown] : [],
      );
      await options.onTurn({
        message,
        taskId,
        words,
        data: values[0],
        isFollowUp: context.task !== undefined,
        task: () =>
          bus.publish(
            AgentEvent.task({
              id: taskId,
              contextId,
              status: status(TaskState.TASK_STATE_WORKING),
              artifacts: [...(context.task?.artifacts ?? [])],
              history: [],
              metadata: undefined,
            }),
          ),
        status(state, said) {
          bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status: status(state, said), metadata: undefined }));
          if (states.has(state)) bus.finished();
        },
        artifact(parts, { id = "result", append = false } = {}) {
          const artifact: Artifact = {
            artifactId: id,
            name: id,
            description: "",
            parts: [...parts],
            metadata: undefined,
            extensions: [],
          };
          bus.publish(
            AgentEvent.artifactUpdate({ taskId, contextId, artifact, append, lastChunk: true, metadata: undefined }),
          );
        },
        reply: (parts) => bus.publish(AgentEvent.message(agentMessage(parts, "", contextId))),
      });
    },
    async cancelTask(taskId: string, bus: ExecutionEventBus) {
      options.onCancel?.(taskId);
      const contextId = buses.get(taskId)?.contextId ?? "";
      const status = { state: TaskState.TASK_STATE_CANCELED, message: undefined, timestamp: new Date().toISOString() };
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }));
      bus.finished();
    },
  };
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => {
      if (!response.headersSent) response.writeHead(500);
      response.end(String(error));
    });
  });
  const agent = {
    url: "",
    port: 0,
    messages,
    calls,
    card: {} as Record<string, unknown>,
    handler: {} as DefaultRequestHandler,
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
    start: () => new Promise<void>((resolve) => server.listen(agent.port, "127.0.0.1", () => resolve())),
    async [Symbol.asyncDispose]() {
      if (server.listening) await agent.stop();
    },
  };
  agent.port = options.port ?? 0;
  await agent.start();
  agent.port = (server.address() as AddressInfo).port;
  agent.url = `http://127.0.0.1:${agent.port}`;
  agent.card = {
    name: "Test agent",
    description: "Does what a test says",
    version: "1",
    supportedInterfaces: [{ url: `${agent.url}/rpc`, protocolBinding: "JSONRPC", protocolVersion: "1.0" }],
    capabilities: { streaming: true },
    defaultInputModes: ["text/plain", "application/json"],
    defaultOutputModes: ["application/json"],
    skills: [{ id: "work", name: "Work", description: "Works", tags: ["work"] }],
    ...options.card,
  };
  agent.handler = new DefaultRequestHandler(AgentCard.fromJSON(agent.card), store, executor);
  const transport = new JsonRpcTransportHandler(agent.handler);
  return agent;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    if (request.url?.startsWith("/rpc")) calls.push((JSON.parse(body || "{}") as { method?: string }).method ?? "");
    if ((await options.before?.(request, response, body)) === true) return;
    if (request.url === "/.well-known/agent-card.json") {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(agent.card));
      return;
    }
    const result = await transport.handle(body, new ServerCallContext({ requestedVersion: "1.0" }));
    if (!(Symbol.asyncIterator in result)) {
      response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(result));
      return;
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    for await (const event of result) response.write(`data: ${JSON.stringify(event)}\n\n`);
    response.end();
  }
}

function agentMessage(parts: readonly Part[], taskId: string, contextId: string): Message {
  return {
    messageId: crypto.randomUUID(),
    contextId,
    taskId,
    role: Role.ROLE_AGENT,
    parts: [...parts],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  };
}
