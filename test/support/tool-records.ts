import type { JsonSchema, Resource } from "@planloom/plan";

export const text = (description = ""): JsonSchema => ({ type: "string", description });
export const number = (description = ""): JsonSchema => ({ type: "number", description });

/** A tool that takes and gives objects; without `required`, all it takes is. */
export const tool = (
  id: string,
  description: string,
  properties: Record<string, JsonSchema>,
  output?: Record<string, JsonSchema>,
  required = Object.keys(properties),
): Resource => ({
  kind: "tool",
  id,
  description,
  input_schema: { type: "object", properties, required },
  ...(output !== undefined && { output_schema: { type: "object", properties: output } }),
});
