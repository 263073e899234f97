import { CodedError, type CodedErrorOptions, redact, redactCause } from "@planloom/plan";

/** Codes of `McpError`. Each line says when it is thrown and which `details` it carries; `details.server` is the server's name. */
export const McpErrorCode = {
  /**
   * An option is unknown, or its value is of a wrong type or out of its range; `details.option`, and `details.candidates` for a name that is
   * misspelt. Cure: Give the option as its documentation says, or take one of the names in `details.candidates`.
   */
  OPTION: "MCP_OPTION",
  /** The configuration has the wrong shape; `details.issues` lists `{path, message}`. Cure: Mend the fields that `details.issues` names. */
  CONFIG: "MCP_CONFIG",
  /**
   * The configuration file is not JSON; `details.file`, `details.line`, `details.column`. Cure: Mend the JSON at `details.line`,
   * `details.column`.
   */
  CONFIG_JSON: "MCP_CONFIG_JSON",
  /**
   * The configuration file is missing, unreadable or too large; `details.file`. Cure: Check the name of the file and that the program may read
   * it.
   */
  CONFIG_FILE: "MCP_CONFIG_FILE",
  /** Two servers in one file, or two tools of one server, have one name; `details.duplicate`. Cure: Give one of the two another name. */
  DUPLICATE_NAME: "MCP_DUPLICATE_NAME",
  /** A server's command, or its working folder, does not exist; `details.command`. Cure: Install the command, or give its whole path. */
  COMMAND_NOT_FOUND: "MCP_COMMAND_NOT_FOUND",
  /**
   * A server's process ended before it was ready; `details.exit`, `details.stderr` (its last lines). Cure: Read `details.stderr`; start the
   * server by hand to see why it ends.
   */
  SERVER_EXITED: "MCP_SERVER_EXITED",
  /** A server was not ready in time; `details.timeoutMs`, `details.stderr`. Cure: Raise the time to connect, or look at `details.stderr`. */
  CONNECT_TIMEOUT: "MCP_CONNECT_TIMEOUT",
  /**
   * Nothing answers at a server's URL, or it answers with an HTTP error; `details.url`, `details.status`. Cure: Check the address and that the
   * server runs.
   */
  UNREACHABLE: "MCP_UNREACHABLE",
  /**
   * A server wants credentials or refuses those given (401, 403); `details.url`, `details.status`. Cure: Give the credentials that the server
   * wants, in `headers` or `env`.
   */
  AUTH: "MCP_AUTH",
  /** A server does not speak the protocol as agreed. Cure: Use a server that speaks a version of MCP that is known here. */
  PROTOCOL: "MCP_PROTOCOL",
  /**
   * Several servers failed to connect; `details.failures` lists `{server, code, message}`. Cure: See each server's own error in
   * `details.failures`; `optional: true` connects without a server that fails.
   */
  CONNECT: "MCP_CONNECT",
  /** The tool can only be called as an MCP task, which is not supported; `details.tool`. Cure: Use another tool of the server. */
  TOOL_UNSUPPORTED: "MCP_TOOL_UNSUPPORTED",
  /** No such tool among those listed; `details.uid`. Cure: Name a tool that the server lists. */
  UNKNOWN_TOOL: "MCP_UNKNOWN_TOOL",
  /** The tool ran and says that it failed; `details.tool`, `details.text`. Cure: Read `details.text`, which is the tool's own; mend the input. */
  TOOL_FAILED: "MCP_TOOL_FAILED",
  /** The server refused the call itself; `details.tool`, `details.rpc_code`. Cure: Read the message, which is the server's own; mend the input. */
  REFUSED: "MCP_REFUSED",
  /** The tool's output breaks the schema it declares; `details.tool`, `details.reason`. Cure: Mend the tool, or its output schema. */
  OUTPUT_INVALID: "MCP_OUTPUT_INVALID",
  /** The result is over `maxResultBytes`; `details.tool`, `details.maxBytes`. Cure: Ask the tool for less, or raise `maxResultBytes`. */
  RESULT_TOO_LARGE: "MCP_RESULT_TOO_LARGE",
  /** The call took longer than `callTimeoutMs`; `details.tool`, `details.timeoutMs`. Cure: Raise `callTimeoutMs`, or ask the tool for less. */
  TIMEOUT: "MCP_TIMEOUT",
  /**
   * The server died or the connection broke during the call; `details.tool`, `details.exit`, `details.stderr`. Cure: Look at `details.stderr`;
   * the next call connects again.
   */
  CONNECTION_LOST: "MCP_CONNECTION_LOST",
  /** The connection was closed by `close()`. Cure: Connect again. */
  CLOSED: "MCP_CLOSED",
} as const;
export type McpErrorCode = (typeof McpErrorCode)[keyof typeof McpErrorCode];

/** The same error with every secret blanked, in its message, its details and its causes. */
export function withoutSecrets(error: McpError, secrets: readonly string[]): McpError {
  const details = redact(error.details, secrets);
  const message = redact(error.message, secrets);
  const cause = redactCause(error.cause, secrets);
  return message === error.message && details === error.details && cause === error.cause
    ? error
    : new McpError(error.code, message, { details, cause, outcome: error.outcome });
}

/** Another attempt gets the same answer. */
const finalCodes: ReadonlySet<McpErrorCode> = new Set([
  McpErrorCode.CLOSED,
  McpErrorCode.UNKNOWN_TOOL,
  McpErrorCode.TOOL_UNSUPPORTED,
]);

/** The one error class of this package. Its `code` says which error it is. */
export class McpError extends CodedError<McpErrorCode> {
  override readonly name = "McpError";
  /** False where another attempt cannot help; the runtime then makes none. */
  readonly retryable: boolean;
  /** `unknown` where the call may have been carried out: the runtime does not repeat one that changes something without asking. */
  readonly outcome: "unknown" | undefined;

  constructor(
    code: McpErrorCode,
    message: string,
    { outcome, ...options }: CodedErrorOptions & { readonly outcome?: "unknown" | undefined } = {},
  ) {
    super(code, message, options);
    this.retryable = !finalCodes.has(code);
    this.outcome = outcome;
  }
}
