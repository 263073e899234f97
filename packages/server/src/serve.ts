import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import type { Planloom } from "planloom";
import type { OptionChecks } from "planloom/plan";
import { isLoopback, type Listening, listenOn, requestTimeouts } from "planloom/serving";
import { checkOptions } from "./check-options.ts";
import { createServer } from "./create-server.ts";
import { ServerError, ServerErrorCode } from "./errors.ts";
import { noLog } from "./log.ts";
import { type ServerOptions, serverChecks } from "./server-options.ts";

/** The port that the Agents Planning System expects its Behavior Controller on. */
export const defaultPort = 8888;

export interface ServeOptions extends ServerOptions {
  /** 0 for any that is free. @default 8888 */
  readonly port?: number;
  /** Where it listens. Beyond this machine it needs `tokens`. @default "127.0.0.1" */
  readonly host?: string;
}

export interface RunningServer extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  /** How many runs of the last process were taken up. */
  readonly resumed: number;
  /**
   * Takes no more connections, lets running calls end for at most `drainMs`, closes the Planloom and ends the streams.
   * @default drainMs 0
   */
  close(options?: { readonly drainMs?: number }): Promise<void>;
}

/** How long streams have to end by themselves when the server closes, in milliseconds. */
const streamsEndMs = 1_000;

/**
 * Listens, and continues the runs that the last process left.
 * @throws ServerError OPTION, UNPROTECTED, LISTEN
 */
export async function serve(planloom: Planloom, options: ServeOptions = {}): Promise<RunningServer> {
  checkOptions("`serve`", options, {
    ...serverChecks,
    port: "wholeNumber",
    host: "text",
  } as const satisfies OptionChecks<ServeOptions>);
  const { port = defaultPort, host = "127.0.0.1", ...rest } = options;
  const server = createServer(planloom, rest);
  if (server.isOpen && !isLoopback(host)) {
    const message = `Listening on ${host} lets other machines in, and this server has no token. Give it \`tokens\`, or listen on 127.0.0.1.`;
    throw new ServerError(ServerErrorCode.UNPROTECTED, message, { details: { host } });
  }
  if (server.isOpen && options.cors?.includes("*")) {
    const message =
      'With `cors: "*"` every page that a browser of this machine opens could run, change and approve everything here, since this server has no token. Give it `tokens`, or name the origins.';
    throw new ServerError(ServerErrorCode.UNPROTECTED, message, { details: { cors: "*" } });
  }
  const listener = createAdaptorServer({
    fetch: (request, env) => server.fetch(request, env as never),
    overrideGlobalObjects: false,
    serverOptions: {
      ...requestTimeouts(options.bodyTimeoutMs ?? 30_000),
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16_384,
    },
    createServer: createHttpServer,
  }) as Server;
  refuseBeforeContinue(listener, options.maxBodyBytes ?? 8 * 1024 * 1024);
  const { origin: url, port: bound } = await listen(listener, host, port);
  const resumed = await server.start();
  const log = options.log ?? planloom.logger ?? noLog;
  log.info({ url, resumed }, "listening");
  let closing: Promise<void> | undefined;
  const close = async (drainMs: number) => {
    const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
    listener.closeIdleConnections();
    await server.close({ drainMs });
    // Clients that do not hang up although their streams have ended are disconnected.
    const timer = setTimeout(() => listener.closeAllConnections(), streamsEndMs);
    listener.closeIdleConnections();
    await closed;
    clearTimeout(timer);
  };
  return {
    url,
    port: bound,
    resumed,
    close({ drainMs = 0 } = {}) {
      closing ??= close(drainMs);
      return closing;
    },
    [Symbol.asyncDispose]() {
      closing ??= close(0);
      return closing;
    },
  };
}

/** A client that asks whether it may send a large body is refused before it sends it. */
function refuseBeforeContinue(listener: Server, maxBytes: number): void {
  listener.on("checkContinue", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    if (!(Number(incoming.headers["content-length"] ?? 0) > maxBytes)) outgoing.writeContinue();
    listener.emit("request", incoming, outgoing);
  });
}

/** @throws ServerError LISTEN */
async function listen(listener: Server, host: string, port: number): Promise<Listening> {
  try {
    return await listenOn(listener, { host, port });
  } catch (error) {
    const cause = error as NodeJS.ErrnoException;
    const why = cause.code === "EADDRINUSE" ? "another program listens there" : cause.message;
    const message = `Cannot listen on ${host}, port ${port}: ${why}. Take another port; 0 is any that is free.`;
    throw new ServerError(ServerErrorCode.LISTEN, message, { details: { host, port }, cause });
  }
}
