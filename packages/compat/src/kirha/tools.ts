import type { JsonSchema, Resource } from "@planloom/plan";

/** A tool as this dialect describes it; schemas as objects or as JSON text. */
export interface KirhaTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema?: JsonSchema | string;
  readonly outputSchema?: JsonSchema | string;
  /** Makes the call. Checking a plan does not need it. */
  readonly handler?: (input: Record<string, unknown>) => unknown;
}

/** What `defineTool` takes. */
export interface KirhaToolDefinition {
  readonly id: string;
  readonly description: string;
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
  execute(input: Record<string, unknown>): unknown;
}

/**
 * Tools with handlers as `defineTool` takes them: `kirhaTools(tools).map((tool) => defineTool(tool))`.
 * @throws TypeError for a tool without a handler, and for a schema that is not JSON
 */
export function kirhaTools(tools: readonly KirhaTool[]): KirhaToolDefinition[] {
  return tools.map(({ name, description = "", inputSchema, outputSchema, handler }) => {
    if (handler === undefined) throw new TypeError(`Expected the tool "${name}" to have a handler, got none.`);
    return {
      id: name,
      description,
      ...(inputSchema !== undefined && { input: parseSchema(inputSchema, `inputSchema of the tool "${name}"`) }),
      ...(outputSchema !== undefined && { output: parseSchema(outputSchema, `outputSchema of the tool "${name}"`) }),
      execute: (input) => handler(input),
    };
  });
}

/** Tools as resources. A schema whose text is not JSON stays text, so that validation says so. */
export function kirhaResources(tools: readonly KirhaTool[]): Resource[] {
  return tools.map(({ name, description = "", inputSchema, outputSchema }) => ({
    kind: "tool",
    id: name,
    description,
    ...(inputSchema !== undefined && { input_schema: readSchema(inputSchema) }),
    ...(outputSchema !== undefined && { output_schema: readSchema(outputSchema) }),
  }));
}

function readSchema(schema: JsonSchema | string): JsonSchema {
  if (typeof schema !== "string") return schema;
  try {
    return JSON.parse(schema) as JsonSchema;
  } catch {
    return schema as unknown as JsonSchema;
  }
}

function parseSchema(schema: JsonSchema | string, what: string): JsonSchema {
  const read = readSchema(schema);
  if (typeof read === "object") return read;
  throw new TypeError(
    `Expected the ${what} to be a JSON Schema, as an object or as JSON text, got ${JSON.stringify(read)}.`,
  );
}
