import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Planloom } from "planloom";
import { type PlanServerOptions, planServer } from "./plan-server.ts";

export interface McpStdioServer {
  /** Resolves when the client has closed its end, or `close` was called. */
  readonly closed: Promise<void>;
  close(): Promise<void>;
}

/**
 * Serves plans as tools over this process's standard input and output, for protocols 2025-11-25 and 2026-07-28. Nothing else may write to standard output.
 * @throws PlanloomError OPTION
 */
export function serveMcpStdio(planloom: Planloom, options: PlanServerOptions = {}): McpStdioServer {
  const handle = serveStdio(planServer(planloom, options));
  const closed = Promise.withResolvers<void>();
  process.stdin.once("end", () => closed.resolve());
  process.stdin.once("close", () => closed.resolve());
  return {
    closed: closed.promise,
    async close() {
      await handle.close();
      closed.resolve();
    },
  };
}
