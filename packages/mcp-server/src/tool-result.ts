import type { CallToolResult } from "@modelcontextprotocol/server";

/** Data as the result of a tool: structured, and as JSON text for older clients. */
export function resultOf(data: Record<string, unknown>): CallToolResult {
  const isError = data.success === false && typeof data.error === "string";
  return {
    content: [{ type: "text", text: JSON.stringify(data) }],
    structuredContent: data,
    ...(isError && { isError }),
  };
}
