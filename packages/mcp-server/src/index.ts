export { type PlanServerOptions, planServer } from "./plan-server.ts";
export { type McpHttpOptions, type McpHttpServer, serveMcpHttp } from "./serve-http.ts";
export { type McpStdioServer, serveMcpStdio } from "./serve-stdio.ts";
