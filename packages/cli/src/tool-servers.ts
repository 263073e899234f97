import { resolve } from "node:path";
import type { Executor } from "planloom";
import { CliError, CliErrorCode } from "./errors.ts";
import type { CliIo } from "./io.ts";

/** The optional peer, loaded when servers are asked for. */
type Mcp = typeof import("@planloom/mcp");
type McpSource = Parameters<Mcp["connectMcpServers"]>[0];
type McpConnection = Awaited<ReturnType<Mcp["connectMcpServers"]>>;

/** MCP servers being connected, all at once; disposing of it ends those that were. */
export interface ToolServers extends AsyncDisposable {
  /** Connects more; relative paths start at `folder`. */
  add(source: McpSource, folder: string): void;
  /** Their tools. @throws McpError of the first that could not be connected */
  executors(): Promise<Executor[]>;
}

/** Starts connecting the servers of `files` at once. */
export function connectServers(files: readonly string[], io: CliIo): ToolServers {
  const stop = new AbortController();
  const connecting: Promise<McpConnection>[] = [];
  const add = (source: McpSource, folder: string) => {
    const connection = connect(source, folder, io, AbortSignal.any([io.signal, stop.signal]));
    // Looked at in `executors`, or at the latest when disposed of.
    connection.catch(() => {});
    connecting.push(connection);
  };
  for (const file of files) add(resolve(io.cwd, file), io.cwd);
  return {
    add,
    executors: async () => (await Promise.all(connecting)).map((connection) => connection.executor),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      const settled = await Promise.allSettled(connecting);
      await Promise.all(settled.map((one) => (one.status === "fulfilled" ? one.value.close() : undefined)));
    },
  };
}

async function connect(source: McpSource, folder: string, io: CliIo, signal: AbortSignal): Promise<McpConnection> {
  let mcp: Mcp;
  try {
    mcp = await import("@planloom/mcp");
  } catch (cause) {
    throw new CliError(CliErrorCode.CONFIG, "MCP servers need the package @planloom/mcp, which is not installed.", {
      hint: "Install it: npm install @planloom/mcp",
      cause,
    });
  }
  return mcp.connectMcpServers(source, { signal, env: io.env, folder });
}
