import * as mcp from "@planloom/mcp";
import { expect, test } from "vitest";

test("exports and error codes are what users rely on", () => {
  expect(Object.keys(mcp).sort()).toEqual([
    "McpConfig",
    "McpError",
    "McpErrorCode",
    "McpServerConfig",
    "connectMcpServers",
  ]);
  expect(Object.values(mcp.McpErrorCode).sort()).toEqual([
    "MCP_AUTH",
    "MCP_CLOSED",
    "MCP_COMMAND_NOT_FOUND",
    "MCP_CONFIG",
    "MCP_CONFIG_FILE",
    "MCP_CONFIG_JSON",
    "MCP_CONNECT",
    "MCP_CONNECTION_LOST",
    "MCP_CONNECT_TIMEOUT",
    "MCP_DUPLICATE_NAME",
    "MCP_OPTION",
    "MCP_OUTPUT_INVALID",
    "MCP_PROTOCOL",
    "MCP_REFUSED",
    "MCP_RESULT_TOO_LARGE",
    "MCP_SERVER_EXITED",
    "MCP_TIMEOUT",
    "MCP_TOOL_FAILED",
    "MCP_TOOL_UNSUPPORTED",
    "MCP_UNKNOWN_TOOL",
    "MCP_UNREACHABLE",
  ]);
});
