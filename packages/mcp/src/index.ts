export { McpConfig, type McpConfigInput, McpServerConfig, type McpServerInput } from "./config/mcp-config.ts";
export {
  connectMcpServers,
  type McpConnection,
  type McpConnectOptions,
  type McpServerStatus,
} from "./connect-mcp-servers.ts";
export { McpError, McpErrorCode } from "./errors.ts";
export type { McpLog, McpLogEntry } from "./log.ts";
