import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { SendMessageRequest, StreamResponse, Task } from "@a2a-js/sdk";
import { ServerCallContext } from "@a2a-js/sdk/server";
import { A2AService, grpcService, UserBuilder } from "@a2a-js/sdk/server/grpc";
import { type Metadata, Server, ServerCredentials, ServerInterceptingCall, status } from "@grpc/grpc-js";
import type { TestAgent } from "./support.ts";

/** Another way to an agent. */
export interface Door extends AsyncDisposable {
  readonly port: number;
  /** The calls that came, each as its method, path or metadata say. */
  readonly calls: string[];
}

/** The agent over gRPC, by the official SDK. @param refuses whether a call is answered with UNAUTHENTICATED */
export async function grpcDoor(
  { handler }: TestAgent,
  refuses: (metadata: Metadata) => boolean = () => false,
): Promise<Door> {
  const calls: string[] = [];
  const server = new Server({
    interceptors: [
      (description, call) =>
        new ServerInterceptingCall(call, {
          start(next) {
            next({
              onReceiveMetadata(metadata, pass) {
                calls.push(`${description.path.split("/").at(-1)} ${metadata.get("authorization").join()}`.trim());
                if (refuses(metadata)) call.sendStatus({ code: status.UNAUTHENTICATED, details: "no token" });
                else pass(metadata);
              },
            });
          },
        }),
    ],
  });
  // It looks whether its own card has this binding.
  const card = await handler.getAgentCard();
  card.supportedInterfaces.push({ url: "", protocolBinding: "GRPC", protocolVersion: "1.0", tenant: "" });
  server.addService(A2AService, grpcService({ requestHandler: handler, userBuilder: UserBuilder.noAuthentication }));
  const port = await new Promise<number>((resolve, reject) => {
    const credentials = ServerCredentials.createInsecure();
    server.bindAsync("127.0.0.1:0", credentials, (error, bound) => (error ? reject(error) : resolve(bound)));
  });
  return { port, calls, [Symbol.asyncDispose]: async () => server.forceShutdown() };
}

/** The agent over HTTP+JSON, with the paths of the specification. */
export async function restDoor({ handler }: TestAgent): Promise<Door> {
  const calls: string[] = [];
  const context = new ServerCallContext({ requestedVersion: "1.0" });
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request) body += String(chunk);
    const { pathname } = new URL(request.url!, "http://localhost");
    calls.push(`${request.method} ${pathname.replace(/[0-9a-f-]{36}/, "ID")}`);
    const [, id = "", verb] = /^\/rest\/tasks\/([^/:]+)(?::(\w+))?$/.exec(pathname) ?? [];
    const json = (value: unknown) =>
      response.writeHead(200, { "content-type": "application/a2a+json" }).end(JSON.stringify(value));
    if (pathname === "/rest/message:send") {
      const result = await handler.sendMessage(SendMessageRequest.fromJSON(JSON.parse(body)), context);
      return json("messageId" in result ? { message: result } : { task: Task.toJSON(result) });
    }
    if (pathname === "/rest/message:stream" || verb === "subscribe") {
      const events =
        verb === undefined
          ? handler.sendMessageStream(SendMessageRequest.fromJSON(JSON.parse(body)), context)
          : handler.resubscribe({ tenant: "", id }, context);
      response.writeHead(200, { "content-type": "text/event-stream" });
      for await (const event of events) response.write(`data: ${JSON.stringify(StreamResponse.toJSON(event))}\n\n`);
      return response.end();
    }
    if (verb === "cancel")
      return json(Task.toJSON(await handler.cancelTask({ tenant: "", id, metadata: {} }, context)));
    if (id !== "") return json(Task.toJSON(await handler.getTask({ tenant: "", id }, context)));
    return response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return {
    port: (server.address() as AddressInfo).port,
    calls,
    async [Symbol.asyncDispose]() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
}
