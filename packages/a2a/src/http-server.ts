import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";

/** A server of standard requests that lets nobody keep it waiting. @param bodyTimeoutMs how long `fetch` waits for a body, at most */
export function httpServer(fetch: (request: Request) => Promise<Response>, bodyTimeoutMs: number): Server {
  const serverOptions = {
    headersTimeout: 10_000,
    requestTimeout: Math.max(bodyTimeoutMs, 10_000) + 1_000,
    connectionsCheckingInterval: 1_000,
  };
  return createAdaptorServer({ fetch, overrideGlobalObjects: false, serverOptions }) as Server;
}
