import { CliError, CliErrorCode } from "./errors.ts";

/** Plans as tools of an MCP server: an optional peer, loaded by `planloom mcp` alone. */
export type McpServerPackage = typeof import("@planloom/mcp-server");

/** @throws CliError CONFIG where the package is not installed; the message says in one line what to install */
export async function loadMcpServer(): Promise<McpServerPackage> {
  try {
    return await import("@planloom/mcp-server");
  } catch (cause) {
    const isMissing =
      cause instanceof Error &&
      "code" in cause &&
      cause.code === "ERR_MODULE_NOT_FOUND" &&
      cause.message.includes("'@planloom/mcp-server'");
    if (!isMissing) throw cause;
    throw new CliError(
      CliErrorCode.CONFIG,
      "`planloom mcp` needs the package @planloom/mcp-server, which is not installed: npm install @planloom/mcp-server",
      { cause },
    );
  }
}
