import { isRecord, type JsonSchema } from "@planloom/plan";
import type { RelatedCase, Variant } from "./relation.ts";

type Schema = Readonly<Record<string, unknown>>;
/** Rewrites a property; `required` says whether its object needs it. */
type Rewrite = (property: Schema, name: string, required: boolean) => Schema;

const isPlain = (property: Schema) => typeof property.type === "string" && !("default" in property);
const titleOf = (name: string) =>
  name
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, "$1 $2")
    .split(/[^\p{L}\d]+/u)
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join(" ");

/** Splits what is said of a property from what its values are. */
function split({ description, title, default: initial, ...values }: Schema): { said: Schema; values: Schema } {
  const said = { ...(description !== undefined && { description }), ...(title !== undefined && { title }) };
  return { said: { ...said, ...(initial !== undefined && { default: initial }) }, values };
}

const rewrites: Readonly<Record<string, Rewrite>> = {
  "anyOf with null": (property, _, required) => {
    if (required || !isPlain(property)) return property;
    const { said, values } = split(property);
    return { anyOf: [values, { type: "null" }], default: null, ...said };
  },
  "type with null": (property, _, required) =>
    required || !isPlain(property) || "enum" in property ? property : { ...property, type: [property.type, "null"] },
  "default null": (property, _, required) =>
    required || !isPlain(property) ? property : { ...property, default: null },
  "titles of properties": (property, name) => ({ title: titleOf(name), ...property }),
  "allowed values as const": (property) => {
    if (!Array.isArray(property.enum)) return property;
    const { enum: allowed, type, ...rest } = property;
    return { ...rest, anyOf: allowed.map((value: unknown) => ({ const: value, ...(type !== undefined && { type }) })) };
  },
};

/** The same tools with schemas that mean the same: the same calls must come. */
export function rewrittenSchemasOf({ query, tools, calls }: RelatedCase, random: () => number): Variant[] {
  const variants: Variant[] = [];
  const add = (form: string, rewrite: (schema: JsonSchema, tool: string) => JsonSchema) => {
    const after = tools.map((tool) => ({
      ...tool,
      ...(tool.inputSchema && { inputSchema: rewrite(tool.inputSchema, tool.name) }),
    }));
    if (JSON.stringify(after) !== JSON.stringify(tools))
      variants.push({ form: `schemas: ${form}`, query, tools: after, calls });
  };
  for (const [form, rewrite] of Object.entries(rewrites)) add(form, (schema) => rewriteProperties(schema, rewrite));
  add("$ref to $defs", toDefinitions);
  add("title of the whole", (schema, tool) => ({ title: `${tool}Arguments`, ...(schema as Schema) }) as JsonSchema);
  const described = calls.flatMap(({ tool }) => {
    const { properties = {} } = (tools.find(({ name }) => name === tool)?.inputSchema ?? {}) as { properties?: object };
    return Object.entries(properties).flatMap(([name, property]) =>
      isRecord(property) && typeof property.description === "string" ? [`${tool} ${name}`] : [],
    );
  });
  const bare = described[Math.floor(random() * described.length)];
  if (bare !== undefined)
    add("one description left out", (schema, tool) =>
      rewriteProperties(schema, (property, name) => {
        if (`${tool} ${name}` !== bare) return property;
        const { description: _, ...rest } = property;
        return rest;
      }),
    );
  return variants;
}

/** Rewrites the properties of the schema itself; inner objects stay as they are. */
function rewriteProperties(schema: JsonSchema, rewrite: Rewrite): JsonSchema {
  const { properties, required } = schema as { properties?: unknown; required?: unknown };
  if (!isRecord(properties)) return schema;
  const needed = new Set(Array.isArray(required) ? required : []);
  return {
    ...(schema as Schema),
    properties: Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [
        name,
        isRecord(property) ? rewrite(property, name, needed.has(name)) : property,
      ]),
    ),
  } as JsonSchema;
}

/** Puts what the values of each property are below `$defs`; what is said of it stays where it is. */
function toDefinitions(schema: JsonSchema): JsonSchema {
  const definitions: Record<string, unknown> = {};
  const referring = rewriteProperties(schema, (property, name) => {
    if (!("enum" in property) && property.type !== "object") return property;
    const { said, values } = split(property);
    definitions[titleOf(name).replaceAll(" ", "")] = values;
    return { $ref: `#/$defs/${titleOf(name).replaceAll(" ", "")}`, ...said };
  });
  if (Object.keys(definitions).length === 0) return schema;
  const { $defs: own = {} } = schema as { $defs?: object };
  return { ...(referring as Schema), $defs: { ...own, ...definitions } } as JsonSchema;
}
