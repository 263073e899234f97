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
  /** Whether what it says of its tools' effects is believed. */
  readonly trustHints: boolean;
}

/** A tool that can only be called as an MCP task, polled for its result; such calls are not made here. */
export const needsTask = (tool: Tool): boolean => tool.execution?.taskSupport === "required";

export function serverTool({ server, version, endpoint, trustHints }: ServerAbout, tool: Tool): ServerTool {
  const declared = tool.outputSchema;
  const inner = declared && unwrapSchema(declared);
  const output = inner ?? declared;
  const { readOnlyHint, idempotentHint } = trustHints ? (tool.annotations ?? {}) : {};
  // A claim that makes us more careful needs no trust.
  const destructive = tool.annotations?.destructiveHint === true && tool.annotations.readOnlyHint !== true;
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
      ...(destructive && { destructive }),
      ...(idempotentHint !== undefined && { idempotent: idempotentHint }),
    },
  };
}
