import { resolve } from "node:path";
import type { Executor, PlanloomConfig } from "planloom";
import { CliError, CliErrorCode } from "./errors.ts";
import type { CliIo } from "./io.ts";

/** Optional peers, loaded when servers or agents are asked for. */
type Mcp = typeof import("@planloom/mcp");
type McpSource = Parameters<Mcp["connectMcpServers"]>[0];
type A2a = typeof import("@planloom/a2a");
type A2aAgents = NonNullable<PlanloomConfig["a2aAgents"]>;

/** Servers or agents that are connected. */
interface Connection {
  readonly executor: Executor;
  readonly servers?: readonly { readonly name: string; readonly ignoredKeys?: readonly string[] }[];
  close(): Promise<void>;
}

/** MCP servers and A2A agents being connected, all at once; disposing of it ends those that were. */
export interface ToolServers extends AsyncDisposable {
  /** Connects more; relative paths start at `folder`. */
  add(source: McpSource, folder: string): void;
  /** Connects A2A agents. */
  addAgents(agents: A2aAgents): void;
  /** Their tools, and the agents. @throws McpError, A2aError of the first that could not be connected */
  executors(): Promise<Executor[]>;
  /** What a person should know of the configuration: keys that nothing reads. */
  notes(): Promise<string[]>;
}

/** Starts connecting the servers of `files` at once. */
export function connectServers(files: readonly string[], io: CliIo): ToolServers {
  const stop = new AbortController();
  const connecting: Promise<Connection>[] = [];
  const signal = AbortSignal.any([io.signal, stop.signal]);
  const begin = (connection: Promise<Connection>) => {
    // Looked at in `executors`, or at the latest when disposed of.
    connection.catch(() => {});
    connecting.push(connection);
  };
  const add = (source: McpSource, folder: string) => begin(connect(source, folder, io, signal));
  for (const file of files) add(resolve(io.cwd, file), io.cwd);
  return {
    add,
    addAgents: (agents) => begin(connectAgents(agents, signal)),
    executors: async () => (await Promise.all(connecting)).map((connection) => connection.executor),
    notes: async () =>
      (await Promise.all(connecting)).flatMap(({ servers = [] }) =>
        servers.flatMap(({ name, ignoredKeys }) =>
          ignoredKeys === undefined
            ? []
            : [
                `MCP server ${name}: ${ignoredKeys.join(", ")} of its configuration ${ignoredKeys.length === 1 ? "means" : "mean"} nothing here and ${ignoredKeys.length === 1 ? "is" : "are"} ignored.`,
              ],
        ),
      ),
    [Symbol.asyncDispose]: async () => {
      stop.abort();
      const settled = await Promise.allSettled(connecting);
      await Promise.all(settled.map((one) => (one.status === "fulfilled" ? one.value.close() : undefined)));
    },
  };
}

async function connect(source: McpSource, folder: string, io: CliIo, signal: AbortSignal): Promise<Connection> {
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

async function connectAgents(agents: A2aAgents, signal: AbortSignal): Promise<Connection> {
  const a2a = await loadA2a();
  return a2a.connectAgents(agents as Parameters<A2a["connectAgents"]>[0], { signal });
}

/** @throws CliError CONFIG where the package is not installed */
export async function loadA2a(): Promise<A2a> {
  try {
    return await import("@planloom/a2a");
  } catch (cause) {
    throw new CliError(CliErrorCode.CONFIG, "A2A agents need the package @planloom/a2a, which is not installed.", {
      hint: "Install it: npm install @planloom/a2a",
      cause,
    });
  }
}
