import { createServer } from "node:http";
import { checkOptions } from "../check-options.ts";
import {
  type ControllerService,
  type ControllerServiceOptions,
  controllerService,
  serviceChecks,
} from "./controller-service.ts";

/** The port that the Agents Planning System expects its Behavior Controller on. */
export const controllerPort = 8888;

export interface ServeControllerOptions extends ControllerServiceOptions {
  /** 0 for any that is free. @default 8888 */
  readonly port?: number;
  /** Where it listens. It knows no users, so that it is for this machine alone unless you say otherwise. @default "127.0.0.1" */
  readonly host?: string;
}

export interface ServedController extends Pick<ControllerService, "tasks"> {
  /** For `behavior_controller_url` there, and `HttpController` here. */
  readonly url: string;
  readonly port: number;
  /** Takes no more requests and waits for those that run. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Serves a Behavior Controller over HTTP. @throws what listening throws: a port that is taken, say; ControllerError OPTION */
export async function serveController(options: ServeControllerOptions): Promise<ServedController> {
  checkOptions("`serveController`", options, { ...serviceChecks, port: "wholeNumber", host: "text" });
  const { port = controllerPort, host = "127.0.0.1", ...rest } = options;
  const service = controllerService(rest);
  const server = createServer((incoming, outgoing) => {
    const gone = new AbortController();
    outgoing.on("close", () => gone.abort(new Error("The client is gone.")));
    const hasBody = incoming.method !== "GET" && incoming.method !== "HEAD";
    const request = new Request(new URL(incoming.url ?? "/", "http://localhost"), {
      method: incoming.method ?? "GET",
      signal: gone.signal,
      ...(hasBody && { body: incoming as unknown as ReadableStream<Uint8Array>, duplex: "half" as const }),
    });
    void service.fetch(request).then(async (response) => {
      outgoing.writeHead(response.status, Object.fromEntries(response.headers));
      outgoing.end(await response.text());
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    tasks: service.tasks,
    close,
    [Symbol.asyncDispose]: close,
  };
}
