import type { JsonSchema, Resource } from "@planloom/plan";

const described = (type: string, description: string) => (description === "" ? { type } : { type, description });

// Schemas of arguments, described or not.
export const text = (description = ""): JsonSchema => described("string", description);
export const number = (description = ""): JsonSchema => described("number", description);
export const whole = (description = ""): JsonSchema => described("integer", description);
export const flag = (description = ""): JsonSchema => described("boolean", description);
export const texts = (description = "") => ({ ...described("array", description), items: text() });

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

/** A tool of which only the arguments are known: what it can do without is missing from `required`. @param readOnly what it says of itself, if anything */
export const toolNeeding = (
  id: string,
  description: string,
  properties: Record<string, JsonSchema>,
  required: readonly string[] = Object.keys(properties),
  readOnly?: boolean,
): Resource => ({
  ...tool(id, description, properties, undefined, [...required]),
  ...(readOnly !== undefined && { read_only: readOnly }),
});
