import type { Tool } from "@modelcontextprotocol/client";
import type { Resource } from "@planloom/plan";
import { unwrapSchema } from "./unwrap-schema.ts";

/** A tool as its server listed it, and as a plan sees it. */
export interface ServerTool {
  readonly tool: Tool;
  readonly resource: Resource;
  /** The server hands the output out as `{"result": …}`; the plan sees what is inside. */
  readonly wrapped: boolean;
}

/** What all tools of a server have in common. */
export interface ServerAbout {
  readonly server: string;
  readonly version?: string;
  readonly endpoint: string;
}

export function serverTool({ server, version, endpoint }: ServerAbout, tool: Tool): ServerTool {
  const declared = tool.outputSchema;
  const inner = declared && unwrapSchema(declared);
  const output = inner ?? declared;
  const { readOnlyHint, idempotentHint } = tool.annotations ?? {};
  return {
    tool,
    wrapped: inner !== undefined,
    resource: {
      kind: "tool",
      id: `${server}/${tool.name}`,
      name: tool.name,
      description: tool.description ?? tool.title ?? tool.annotations?.title ?? "",
      input_schema: tool.inputSchema,
      ...(output !== undefined && { output_schema: output }),
      tags: [server],
      sub_type: "tool",
      protocol_type: "mcp",
      ...(version !== undefined && { version }),
      endpoint,
      ...(readOnlyHint !== undefined && { read_only: readOnlyHint }),
      ...(idempotentHint !== undefined && { idempotent: idempotentHint }),
    },
  };
}
