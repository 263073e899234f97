import { isRecord, type JsonSchema } from "@planloom/plan";

/**
 * Until protocol revision 2026-07-28 an output must be an object, so SDKs hand out a list or a number as
 * `{"result": …}`: the TypeScript one by need, Python's FastMCP with the mark `x-fastmcp-wrap-result`. A plan should
 * see the value itself, under every revision of the protocol.
 * @returns the schema of `result` where the output is such a wrapper; undefined where it is what the tool means
 */
export function unwrapSchema(schema: JsonSchema): JsonSchema | undefined {
  if (!isRecord(schema) || !isRecord(schema.properties)) return undefined;
  const keys = Object.keys(schema.properties);
  const inner = schema.properties.result;
  if (keys.length !== 1 || keys[0] !== "result" || !isRecord(inner)) return undefined;
  const required = Array.isArray(schema.required) && schema.required.includes("result");
  const marked = schema["x-fastmcp-wrap-result"] === true;
  // An object needs no wrapper: `{result: {…}}` is then the tool's own output.
  if (!marked && (!required || inner.type === "object")) return undefined;
  const definitions = Object.fromEntries(
    ["$schema", "$defs", "definitions"].filter((key) => schema[key] !== undefined).map((key) => [key, schema[key]]),
  );
  return { ...definitions, ...(moveReferences(inner) as Record<string, unknown>) };
}

const root = "#/properties/result";

/** Pointers into the wrapper become pointers into what it held; others (`#/$defs/…`) stay. */
function moveReferences(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(moveReferences);
  if (!isRecord(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => {
      if ((key === "$ref" || key === "$dynamicRef") && typeof value === "string") {
        if (value === root) return [key, "#"];
        return [key, value.startsWith(`${root}/`) ? `#${value.slice(root.length)}` : value];
      }
      return [
        key,
        key === "const" || key === "enum" || key === "default" || key === "examples" ? value : moveReferences(value),
      ];
    }),
  );
}
