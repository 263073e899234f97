import type { ServerSettings } from "./config/read-config.ts";
import { httpError, messageOf } from "./connect-error.ts";
import { McpError, McpErrorCode } from "./errors.ts";
import type { Session } from "./session.ts";
import { oversizedCode } from "./transport/oversized-reply.ts";

interface CallState {
  readonly settings: ServerSettings;
  readonly session: Session;
  readonly tool: string;
  readonly timeoutMs: number | undefined;
  readonly maxResultBytes: number;
}

/**
 * Why a call failed, in our words. The caller has looked at its signal already: the SDK reports an abort as a timeout.
 */
export async function callError(cause: unknown, state: CallState): Promise<McpError> {
  if (cause instanceof McpError) return cause;
  const { ProtocolError, SdkError, SdkErrorCode } = await import("@modelcontextprotocol/client");
  const { settings, session, tool } = state;
  const uid = `${settings.name}/${tool}`;
  const fail = (code: McpErrorCode, message: string, details: Record<string, unknown> = {}): McpError =>
    new McpError(code, message, {
      cause,
      details: { server: settings.name, tool, ...details },
      outcome: outcomeOf(code),
    });
  if (cause instanceof ProtocolError && cause.code === oversizedCode) {
    return fail(
      McpErrorCode.RESULT_TOO_LARGE,
      `The result of ${uid} is over the limit of ${state.maxResultBytes} bytes. Ask for less, or raise \`maxResultBytes\`.`,
      { maxBytes: state.maxResultBytes },
    );
  }
  if (cause instanceof ProtocolError) {
    return fail(
      McpErrorCode.REFUSED,
      `The MCP server ${settings.name} refused the call of ${tool}: ${messageOf(cause)}`,
      {
        rpc_code: cause.code,
      },
    );
  }
  if (cause instanceof SdkError && cause.code === SdkErrorCode.RequestTimeout) {
    return fail(McpErrorCode.TIMEOUT, `${uid} gave no result within ${state.timeoutMs} ms.`, {
      timeoutMs: state.timeoutMs,
    });
  }
  if (settings.kind === "http") {
    const http = httpError(cause, settings.name, settings.url);
    if (http?.details.status === 404) session.breakOff("the server no longer knows this session");
    if (http?.code === McpErrorCode.AUTH) return http;
    if (http) return fail(McpErrorCode.CONNECTION_LOST, `The call of ${uid} broke off: ${http.message}`, http.details);
  }
  const { exit, fault, stderr } = session.process();
  if (exit !== undefined || (cause instanceof SdkError && lost.has(cause.code)))
    session.breakOff("the connection ended");
  const broken = session.broken();
  if (broken !== undefined) {
    const how = exit === undefined ? (fault ?? broken) : `its process ended with ${exit}`;
    return fail(
      McpErrorCode.CONNECTION_LOST,
      `The MCP server ${settings.name} was lost during the call of ${tool}: ${how}. The next call starts it again.` +
        (stderr ? ` Its last words on stderr:\n${stderr}` : ""),
      { ...(exit !== undefined && { exit }), ...(stderr && { stderr }) },
    );
  }
  return fail(
    McpErrorCode.PROTOCOL,
    `The MCP server ${settings.name} did not answer the call of ${tool} as the protocol says: ${messageOf(cause)}`,
  );
}

/** After these errors it is unknown whether the call was carried out: it was sent, and no answer came. */
function outcomeOf(code: McpErrorCode): "unknown" | undefined {
  const unknown: readonly McpErrorCode[] = [McpErrorCode.TIMEOUT, McpErrorCode.CONNECTION_LOST, McpErrorCode.PROTOCOL];
  return unknown.includes(code) ? "unknown" : undefined;
}

const lost = new Set<string>(["CONNECTION_CLOSED", "NOT_CONNECTED", "SEND_FAILED"]);
