import type { Server } from "node:http";

/** A server that listens. */
export interface Listening {
  /** `http://HOST:PORT`. */
  readonly origin: string;
  readonly port: number;
  /** Takes no more connections, and breaks those that are open. Safe to call again. */
  close(): Promise<void>;
}

/** How long a server of `node:http` waits for clients, so that nobody keeps it waiting. @param bodyTimeoutMs how long its handler waits for a body, at most */
export function requestTimeouts(bodyTimeoutMs: number) {
  return {
    headersTimeout: 10_000,
    // The handler refuses a late body with a code, before the connection is cut.
    requestTimeout: Math.max(bodyTimeoutMs, 10_000) + 1_000,
    connectionsCheckingInterval: 1_000,
  };
}

/**
 * Resolves when the server takes connections.
 * @param place.port 0 for any that is free
 * @throws the error of the port where it is taken
 */
export async function listenOn(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<Listening> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, () => resolve());
  });
  const address = server.address();
  const bound = typeof address === "object" && address !== null ? address.port : port;
  let closing: Promise<void> | undefined;
  return {
    origin: `http://${host.includes(":") ? `[${host}]` : host}:${bound}`,
    port: bound,
    close() {
      closing ??= new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
      return closing;
    },
  };
}
