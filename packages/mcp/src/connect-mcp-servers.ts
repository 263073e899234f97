import {
  type ConnectFailure,
  connectAll,
  connectionsOf,
  type Executor,
  type OptionChecks,
  type Resource,
} from "@planloom/plan";
import { checkOptions } from "./check-options.ts";
import { loadConfig } from "./config/load-config.ts";
import type { McpConfigInput } from "./config/mcp-config.ts";
import type { Environment, ServerSettings } from "./config/read-config.ts";
import { messageOf } from "./connect-error.ts";
import { McpError, McpErrorCode } from "./errors.ts";
import { guardedLog, type McpLog } from "./log.ts";
import { McpServer, type ServerOptions } from "./mcp-server.ts";
import { needsTask, type ServerTool } from "./tools/server-tool.ts";

export interface McpConnectOptions {
  /** Ends the connecting; an established connection is ended by `close()`. */
  readonly signal?: AbortSignal | undefined;
  /** For each server to be ready, in milliseconds. @default 30_000 */
  readonly timeoutMs?: number | undefined;
  /** For each call, in milliseconds. @default none: the caller's signal bounds it */
  readonly callTimeoutMs?: number | undefined;
  /** What servers say on stderr and in logging notifications. @default nothing is shown */
  readonly onLog?: McpLog | undefined;
  /** For `${NAME}` in the configuration, and what servers inherit of it (PATH, HOME and the like). @default process.env */
  readonly env?: Environment | undefined;
  /** Where relative folders of a configuration given as a value start; a file has its own. @default the current folder */
  readonly folder?: string | undefined;
  /** Calls at once to one server; more wait. @default 32 */
  readonly maxConcurrency?: number | undefined;
  /** Size of one result as the server sends it, in bytes. @default 16 MiB */
  readonly maxResultBytes?: number | undefined;
  /** What a server has to end after SIGTERM, in milliseconds; then SIGKILL. @default 2_000 */
  readonly closeGraceMs?: number | undefined;
}

const checks = {
  signal: "signal",
  timeoutMs: "own",
  callTimeoutMs: "own",
  onLog: "function",
  env: "object",
  folder: "text",
  maxConcurrency: "own",
  maxResultBytes: "own",
  closeGraceMs: "own",
} as const satisfies OptionChecks<McpConnectOptions>;

/** How one server of the configuration fared. */
export interface McpServerStatus {
  readonly name: string;
  readonly connected: boolean;
  readonly tools: number;
  /** Keys of its configuration that nothing reads here, such as `disabledTools` of other hosts. Absent where every key is read. */
  readonly ignoredKeys?: readonly string[];
  /** Why an optional server is missing. */
  readonly error?: { readonly code: string; readonly message: string };
}

/** Connected servers and their tools. */
export interface McpConnection extends AsyncDisposable {
  /** Kind `tool`; its resources are `resources`. */
  readonly executor: Executor;
  /** Tools as they are now, in the order of the servers, then as listed; ids are `server/tool`. The same object until one changes. */
  readonly resources: readonly Resource[];
  /** In the order of the configuration; disabled ones are left out. */
  readonly servers: readonly McpServerStatus[];
  /** Fails calls in flight with CLOSED and ends every server; settles when all are gone. Safe to call again. */
  close(): Promise<void>;
}

/**
 * Connects the servers of an `mcpServers` map, all at once, and offers their tools.
 * @param config the map as a value, or the path of a JSON file
 * @throws McpError OPTION for an unknown option; when the configuration is wrong or a server that is not `optional` fails; every other server is
 * ended first. One failure is thrown as it is, several as CONNECT with all of them.
 */
export async function connectMcpServers(
  config: McpConfigInput | string,
  options: McpConnectOptions = {},
): Promise<McpConnection> {
  checkOptions("`connectMcpServers`", options, checks);
  const signal = options.signal ?? new AbortController().signal;
  signal.throwIfAborted();
  const settings = await loadConfig(config, {
    environment: options.env ?? process.env,
    folder: options.folder,
    signal,
  });
  const serverOptions = readOptions(options);
  const connecting = settings.map((server) => ({
    name: server.name,
    isOptional: server.optional,
    connect: () => McpServer.connect(server, serverOptions, signal),
  }));
  const outcomes = await connectAll(connecting, signal, severalFailed).catch((reason: unknown) => {
    throw settings.length > 1 ? withWayOn(reason) : reason;
  });
  return connectionOf(connectionsOf(outcomes), statuses(settings, outcomes));
}

function readOptions(options: McpConnectOptions): ServerOptions {
  return {
    timeoutMs: positive("timeoutMs", options.timeoutMs ?? 30_000),
    callTimeoutMs: options.callTimeoutMs === undefined ? undefined : positive("callTimeoutMs", options.callTimeoutMs),
    maxConcurrency: positive("maxConcurrency", options.maxConcurrency ?? 32),
    maxResultBytes: positive("maxResultBytes", options.maxResultBytes ?? 16 * 1024 * 1024),
    closeGraceMs: positive("closeGraceMs", options.closeGraceMs ?? 2_000),
    log: guardedLog(options.onLog),
  };
}

function positive(option: string, value: number): number {
  if (Number.isInteger(value) && value >= 1) return value;
  throw new McpError(
    McpErrorCode.CONFIG,
    `Expected \`${option}\` to be an integer of at least 1, got \`${String(value)}\`.`,
    {
      details: { option },
    },
  );
}

function describe(reason: unknown): { code: string; message: string } {
  return reason instanceof McpError
    ? { code: reason.code, message: reason.message }
    : { code: McpErrorCode.PROTOCOL, message: messageOf(reason) };
}

/** The failure of one of several servers, with how the others are used without it. */
function withWayOn(reason: unknown): unknown {
  const server = reason instanceof McpError ? reason.details.server : undefined;
  if (!(reason instanceof McpError) || typeof server !== "string") return reason;
  const hint = `To use the other servers without it, write "optional": true in mcpServers.${server}.`;
  return new McpError(reason.code, `${reason.message}\n${hint}`, { cause: reason.cause, details: reason.details });
}

function severalFailed(failures: readonly ConnectFailure[]): McpError {
  const list = failures.map(({ name, reason }) => ({ server: name, ...describe(reason) }));
  const lines = list.map(({ server, code, message }) => `  ${server}: ${message} [${code}]`);
  return new McpError(McpErrorCode.CONNECT, `${list.length} MCP servers could not be connected:\n${lines.join("\n")}`, {
    details: { failures: list },
    cause: new AggregateError(failures.map(({ reason }) => reason)),
  });
}

function statuses(
  settings: readonly ServerSettings[],
  outcomes: readonly PromiseSettledResult<McpServer>[],
): McpServerStatus[] {
  return settings.map(({ name, ignored }, index) => {
    const outcome = outcomes[index]!;
    const ignoredKeys = ignored.length > 0 && { ignoredKeys: ignored };
    return outcome.status === "fulfilled"
      ? {
          name,
          connected: true,
          tools: outcome.value.tools.filter(({ tool }) => !needsTask(tool)).length,
          ...ignoredKeys,
        }
      : { name, connected: false, tools: 0, ...ignoredKeys, error: describe(outcome.reason) };
  });
}

const asTaskOnly = (uid: string): string =>
  `${uid} can only be called as an MCP task (its \`execution.taskSupport\` is "required"), which Planloom does not support. ` +
  "Use another tool of the server, or ask its authors for one that answers a plain call.";

function connectionOf(servers: readonly McpServer[], status: readonly McpServerStatus[]): McpConnection {
  // Every tool there ever was: a call to one whose server has gone opens a new connection.
  const tools = new Map<string, { server: McpServer; tool: ServerTool }>();
  let lists: readonly (readonly ServerTool[])[] = [];
  let resources: readonly Resource[] = [];
  let current: ReadonlySet<string> = new Set();
  const offered = (): readonly Resource[] => {
    const now = servers.map((server) => server.tools);
    if (now.every((list, at) => list === lists[at]) && lists.length === now.length) return resources;
    lists = now;
    for (const server of servers) for (const tool of server.tools) tools.set(tool.resource.id, { server, tool });
    resources = now.flatMap((list) => list.filter(({ tool }) => !needsTask(tool)).map(({ resource }) => resource));
    current = new Set(resources.map(({ id }) => id));
    return resources;
  };
  offered();
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closing ??= Promise.all(servers.map((server) => server.close())).then(() => {});
    return closing;
  };
  const executor: Executor = {
    kind: "tool",
    resources: offered,
    unavailable: (uid) => {
      offered();
      if (current.has(uid)) return undefined;
      const known = tools.get(uid);
      if (known && needsTask(known.tool.tool)) return asTaskOnly(uid);
      const down = status.find(({ name, connected }) => !connected && uid.startsWith(`${name}/`));
      if (down) return `MCP server ${down.name} is not connected: ${down.error?.message}`;
      const gone = [...tools.keys()].find((id) => id === uid || id.endsWith(`/${uid}`));
      return gone !== undefined && !current.has(gone) ? `Its MCP server offers ${gone} no more.` : undefined;
    },
    execute: async (step, context) => {
      offered();
      const found = tools.get(step.uid);
      if (found && needsTask(found.tool.tool)) {
        throw new McpError(McpErrorCode.TOOL_UNSUPPORTED, asTaskOnly(step.uid), { details: { tool: step.uid } });
      }
      if (found) return found.server.call(found.tool, step.input_data, context);
      throw new McpError(McpErrorCode.UNKNOWN_TOOL, `No connected MCP server has a tool ${step.uid}.`, {
        details: { uid: step.uid, known: [...tools.keys()].slice(0, 20) },
      });
    },
  };
  return {
    executor,
    get resources() {
      return offered();
    },
    servers: status,
    close,
    [Symbol.asyncDispose]: close,
  };
}
