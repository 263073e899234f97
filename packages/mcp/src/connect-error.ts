import { stat } from "node:fs/promises";
import type { ServerSettings } from "./config/read-config.ts";
import { McpError, McpErrorCode } from "./errors.ts";
import { printable } from "./log.ts";

interface ConnectState {
  readonly exit?: string;
  readonly stderr?: string;
  readonly timedOut: boolean;
  readonly timeoutMs: number;
}

/** What went wrong while connecting, in our words: which server, what was tried, the way out. */
export async function connectError(cause: unknown, settings: ServerSettings, state: ConnectState): Promise<McpError> {
  if (cause instanceof McpError) return cause;
  const server = settings.name;
  const said = state.stderr ? ` Its last words on stderr:\n${lastLines(state.stderr)}` : "";
  const fail = (code: McpErrorCode, message: string, details: Record<string, unknown> = {}): McpError =>
    new McpError(code, message, { cause, details: { server, ...details } });
  if (settings.kind === "stdio") {
    const { command, cwd } = settings;
    const code = errorCode(cause);
    if (code === "ENOENT" || code === "EACCES" || code === "ENOTDIR") {
      const folder = await isFolder(cwd);
      const what = folder
        ? `its command ${command} ${code === "EACCES" ? "may not be executed" : "was not found"}`
        : `its working folder ${cwd} does not exist`;
      return fail(
        McpErrorCode.COMMAND_NOT_FOUND,
        `Cannot start the MCP server ${server}: ${what}. Check \`${folder ? "command" : "cwd"}\` of mcpServers.${server}.`,
        { command, cwd },
      );
    }
    if (state.exit !== undefined && !state.timedOut) {
      return fail(
        McpErrorCode.SERVER_EXITED,
        `The MCP server ${server} (${commandLine(settings)}) ended with ${state.exit} before it was ready.${said}`,
        { exit: state.exit, stderr: state.stderr },
      );
    }
  }
  if (state.timedOut) {
    return fail(
      McpErrorCode.CONNECT_TIMEOUT,
      `The MCP server ${server} was not ready within ${state.timeoutMs} ms. Is it an MCP server? If it only starts slowly, raise \`timeoutMs\`.${said}`,
      { timeoutMs: state.timeoutMs, stderr: state.stderr },
    );
  }
  if (settings.kind === "http") {
    const http = httpError(cause, server, settings.url);
    if (http) return http;
  }
  return fail(
    McpErrorCode.PROTOCOL,
    `The MCP server ${server} did not answer as the protocol says: ${messageOf(cause)}${said}`,
  );
}

/** A traceback says what is wrong at its end; all of it is in the details of the error. */
const maxLines = 6;
const lastLines = (text: string): string => text.trimEnd().split("\n").slice(-maxLines).join("\n");

/** A URL without what may be secret in it: credentials, query and fragment. */
function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url);
  return origin + pathname;
}

/** An HTTP status or a dead address as an error of ours; undefined for anything else. */
export function httpError(cause: unknown, server: string, address: string): McpError | undefined {
  const url = shownUrl(address);
  const status = statusOf(cause);
  if (status === 401 || status === 403) {
    return new McpError(
      McpErrorCode.AUTH,
      `The MCP server ${server} at ${url} refuses access (HTTP ${status}). Give credentials in \`headers\` of mcpServers.${server}, for example "Authorization": "Bearer \${TOKEN}".`,
      { cause, details: { server, url, status } },
    );
  }
  if (status !== undefined) {
    return new McpError(
      McpErrorCode.UNREACHABLE,
      `The MCP server ${server} at ${url} answers with HTTP ${status}. Check the URL.`,
      {
        cause,
        details: { server, url, status },
      },
    );
  }
  for (let error = cause; error instanceof Error; error = error.cause) {
    const code = errorCode(error);
    if (code === undefined || !/^(?:E[A-Z]+|UND_ERR_\w+)$/.test(code)) continue;
    return new McpError(
      McpErrorCode.UNREACHABLE,
      `Nothing answers at ${url}, the URL of the MCP server ${server} (${code}).`,
      {
        cause,
        details: { server, url },
      },
    );
  }
  return undefined;
}

function statusOf(cause: unknown): number | undefined {
  for (let error = cause; error instanceof Error; error = error.cause) {
    if (error.name === "UnauthorizedError") return 401;
    const status: unknown = Reflect.get(error, "status");
    if (typeof status === "number") return status;
  }
  return undefined;
}

function errorCode(error: unknown): string | undefined {
  const code: unknown = error instanceof Error ? Reflect.get(error, "code") : undefined;
  return typeof code === "string" ? code : undefined;
}

async function isFolder(folder: string): Promise<boolean> {
  return stat(folder).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

const commandLine = (settings: { command: string; args: readonly string[] }): string =>
  [settings.command, ...settings.args].join(" ").slice(0, 200);

export function messageOf(error: unknown): string {
  return printable(error instanceof Error ? error.message : String(error), 500);
}
