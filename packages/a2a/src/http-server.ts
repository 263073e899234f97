import type { Server } from "node:http";
import { createAdaptorServer } from "@hono/node-server";
import { requestTimeouts } from "planloom/serving";

/** A server of standard requests that lets nobody keep it waiting. @param bodyTimeoutMs how long `fetch` waits for a body, at most */
export function httpServer(fetch: (request: Request) => Promise<Response>, bodyTimeoutMs: number): Server {
  const serverOptions = requestTimeouts(bodyTimeoutMs);
  return createAdaptorServer({ fetch, overrideGlobalObjects: false, serverOptions }) as Server;
}
