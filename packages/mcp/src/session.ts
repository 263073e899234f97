import type { Client, Tool, Transport } from "@modelcontextprotocol/client";
import { redact, timerMs } from "@planloom/plan";
import { abortable } from "@planloom/plan/internals";
import type { ServerSettings } from "./config/read-config.ts";
import { connectError } from "./connect-error.ts";
import { McpError, McpErrorCode, withoutSecrets } from "./errors.ts";
import { type McpLog, printable } from "./log.ts";
import { limitedFetch } from "./transport/limited-fetch.ts";
import { oversizedReply } from "./transport/oversized-reply.ts";
import { StdioTransport } from "./transport/stdio-transport.ts";

export interface SessionOptions {
  /** Limit for connecting and listing the tools, in milliseconds. */
  readonly timeoutMs: number;
  readonly maxResultBytes: number;
  readonly closeGraceMs: number;
  readonly log: McpLog;
}

/** One connection to one server, from handshake to close. A new session takes the place of a broken one. */
export interface Session {
  readonly client: Client;
  readonly tools: readonly Tool[];
  /** Those in flight. */
  readonly calls: Set<Promise<unknown>>;
  /** Why no more calls can be made; undefined while they can. */
  readonly broken: () => string | undefined;
  /** Marks a session the server no longer knows. */
  readonly breakOff: (reason: string) => void;
  /** The process behind it, for messages. */
  readonly process: () => { readonly exit?: string; readonly fault?: string; readonly stderr?: string };
  /** Keeps this process alive until the returned function is called: an idle server does not. */
  readonly hold: () => () => void;
  readonly close: () => Promise<void>;
}

const minReconnectMs = 500;
const maxReconnectMs = 30_000;

/** Codes of a server that knows no `initialize`: it speaks revision 2026-07-28 or later only. */
const modernOnly = new Set([-32_022, -32_601]);

/**
 * Connects and lists the tools.
 *
 * The 2025-11-25 handshake goes first: every server knows it, and it costs no probe process. Only a server that
 * refuses it is asked again for 2026-07-28.
 * @throws McpError COMMAND_NOT_FOUND, SERVER_EXITED, CONNECT_TIMEOUT, UNREACHABLE, AUTH, PROTOCOL; the signal's reason
 */
export async function openSession(
  settings: ServerSettings,
  options: SessionOptions,
  signal: AbortSignal,
): Promise<Session> {
  signal.throwIfAborted();
  const timeout = AbortSignal.timeout(timerMs(options.timeoutMs));
  const either = AbortSignal.any([signal, timeout]);
  // The SDK's own limit comes after ours.
  const request = { signal: either, timeout: timerMs(options.timeoutMs + 1_000) };
  const attempt = async (modern: boolean): Promise<Session> => {
    const connection = await newConnection(settings, options, modern);
    try {
      // The transport's own start cannot be aborted by the SDK, and a connection that hangs there must not hold us.
      await abortable(connection.client.connect(connection.transport, request), either);
      const tools = connection.client.getServerCapabilities()?.tools
        ? (await connection.client.listTools(undefined, request)).tools
        : [];
      rejectDuplicates(settings.name, tools);
      connection.settle();
      return sessionOf(connection, tools);
    } catch (cause) {
      await connection.close();
      signal.throwIfAborted();
      if (!modern && modernOnly.has(await refusalCode(cause))) return attempt(true);
      const error = await connectError(cause, settings, {
        ...connection.process(),
        timedOut: timeout.aborted,
        timeoutMs: options.timeoutMs,
      });
      throw withoutSecrets(error, settings.secrets);
    }
  };
  return attempt(false);
}

/** The JSON-RPC code a handshake was refused with; over HTTP it is in the body of a 400. */
async function refusalCode(cause: unknown): Promise<number> {
  const { ProtocolError, SdkHttpError } = await import("@modelcontextprotocol/client");
  if (cause instanceof ProtocolError) return cause.code;
  if (!(cause instanceof SdkHttpError)) return 0;
  try {
    return Number(JSON.parse(String(cause.data.text)).error.code);
  } catch {
    return 0;
  }
}

interface Connection {
  readonly client: Client;
  readonly transport: Transport;
  readonly process: Session["process"];
  readonly hold: Session["hold"];
  /** It is connected: from now on only who holds it keeps this process. */
  readonly settle: () => void;
  readonly close: () => Promise<void>;
}

async function newConnection(settings: ServerSettings, options: SessionOptions, modern: boolean): Promise<Connection> {
  const say = (source: "stderr" | "message" | "client", level: string, text: string): void =>
    options.log({ server: settings.name, source, level, text: printable(redact(text, settings.secrets), 8_192) });
  const child =
    settings.kind === "stdio"
      ? new StdioTransport(settings, {
          maxResultBytes: options.maxResultBytes,
          closeGraceMs: options.closeGraceMs,
          onStderr: (line) => say("stderr", "info", line),
        })
      : undefined;
  // The server starts while the library loads; `start` reports what goes wrong.
  child?.launch().catch(() => {});
  const sdk = await import("@modelcontextprotocol/client");
  const client = new sdk.Client(
    { name: "planloom", version: "0.1.0" },
    modern ? { versionNegotiation: { mode: "auto", probe: { timeoutMs: timerMs(options.timeoutMs) } } } : {},
  );
  client.onerror = (error) => say("client", "warning", error.message);
  client.setNotificationHandler("notifications/message", ({ params }) => {
    say("message", params.level, typeof params.data === "string" ? params.data : (JSON.stringify(params.data) ?? ""));
  });
  if (settings.kind === "stdio") {
    const transport = child as StdioTransport;
    const state = () => ({
      ...(transport.exit !== undefined && { exit: transport.exit }),
      ...(transport.fault !== undefined && { fault: transport.fault }),
      stderr: transport.stderr,
    });
    return {
      client,
      transport,
      process: state,
      hold: () => transport.hold(),
      settle: () => transport.release(),
      close: () => closeQuietly(client, () => transport.close()),
    };
  }
  const { maxResultBytes } = options;
  let fault: string | undefined;
  const transport = new sdk.StreamableHTTPClientTransport(new URL(settings.url), {
    requestInit: { headers: { ...settings.headers } },
    fetch: limitedFetch({
      maxBytes: maxResultBytes,
      onOversized: (id, bytes) => transport.onmessage?.(oversizedReply(id, bytes, maxResultBytes)),
      onFlood: (bytes, resumed) => {
        const flood = `it sent ${bytes} bytes at once, over the limit of ${maxResultBytes}`;
        say("client", "warning", `its ${resumed ? "connection" : "stream of notifications"} was ended: ${flood}`);
        if (!resumed) return;
        fault = flood;
        void client.close();
      },
    }),
    reconnectionScheduler: reconnectLater,
  });
  const leave = async (): Promise<void> => {
    // Saying goodbye is a courtesy; a server that is gone must not hold the close.
    if (transport.sessionId === undefined) return;
    await abortable(transport.terminateSession(), AbortSignal.timeout(timerMs(options.closeGraceMs))).catch(() => {});
  };
  const state = () => ({ ...(fault !== undefined && { fault }) });
  return {
    client,
    transport,
    process: state,
    // A socket of `fetch` cannot be let go of; see docs/mcp.md.
    hold: () => () => {},
    settle: () => {},
    close: () => closeQuietly(client, undefined, leave),
  };
}

/**
 * When a stream that ended is opened again. A server may name the delay, so it has bounds of ours: with none, `retry: 1`
 * and a stream that ends at once would be a request each millisecond.
 */
function reconnectLater(reconnect: () => void, delayMs: number): () => void {
  const ms = Math.min(Math.max(delayMs, minReconnectMs), maxReconnectMs);
  const timer = setTimeout(reconnect, ms).unref();
  return () => clearTimeout(timer);
}

async function closeQuietly(client: Client, end?: () => Promise<void>, before?: () => Promise<void>): Promise<void> {
  // What fails while closing is of no use to anybody: the session is over either way.
  await before?.();
  await Promise.allSettled([client.close(), end?.()]);
}

function sessionOf(connection: Connection, tools: readonly Tool[]): Session {
  let reason: string | undefined;
  const previous = connection.client.onclose;
  connection.client.onclose = () => {
    reason ??= "the connection ended";
    previous?.();
  };
  return {
    client: connection.client,
    tools,
    calls: new Set(),
    broken: () => reason,
    breakOff: (why) => {
      reason ??= why;
    },
    process: connection.process,
    hold: connection.hold,
    close: connection.close,
  };
}

/** @throws McpError DUPLICATE_NAME */
export function rejectDuplicates(server: string, tools: readonly Tool[]): void {
  const seen = new Set<string>();
  for (const { name } of tools) {
    if (seen.has(name)) {
      throw new McpError(
        McpErrorCode.DUPLICATE_NAME,
        `The MCP server ${server} lists two tools named ${printable(name, 100)}.`,
        {
          details: { server, duplicate: name },
        },
      );
    }
    seen.add(name);
  }
}
