import { z } from "zod";

const Index = z.union([z.string().min(1), z.number().int()]);
const ToolCall = z.object({
  name: z.string(),
  args: z.record(z.string(), z.unknown()).optional(),
});

/** A step of mcp-cli's format, as lenient as its reader: an index may be a number or missing, the tool in `tool_calls`. */
export const McpCliStep = z.object({
  index: Index.optional(),
  title: z.string().optional(),
  tool: z.string().optional(),
  args: z.record(z.string(), z.unknown()).optional(),
  tool_calls: z.array(ToolCall).optional(),
  depends_on: z.array(Index).optional(),
  result_variable: z.string().min(1).nullish(),
  /** For pictures only. */
  status: z.string().optional(),
  _status: z.string().optional(),
});
export type McpCliStep = z.infer<typeof McpCliStep>;

export const McpCliPlan = z.object({
  id: z.string().optional(),
  title: z.string().optional(),
  variables: z.record(z.string(), z.unknown()).optional(),
  steps: z.array(McpCliStep),
});
export type McpCliPlan = z.infer<typeof McpCliPlan>;

/** The tool a step calls: its first tool call's, else its own; undefined if it names none. */
export function toolOfStep(step: Pick<McpCliStep, "tool" | "tool_calls">): string | undefined {
  return step.tool_calls?.[0]?.name ?? step.tool;
}
