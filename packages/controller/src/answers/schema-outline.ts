import { isRecord, type JsonSchema } from "@planloom/plan";

/** Longer enumerations stay out: servers limit their size, and grammars grow with them. */
const maxChoices = 200;
/** A schema that refers to itself ends here; what lies deeper may be anything. */
const maxDepth = 5;

export type Outline = Readonly<Record<string, unknown>>;

/**
 * A schema reduced to what every server that holds a model to a schema understands: types, enumerations, properties, items,
 * alternatives. Local `$ref`s are written out. Formats, patterns, bounds and texts are left out; validation looks at them afterwards.
 * `{}` where nothing is known.
 */
export function outlineOf(schema: unknown, root: unknown = schema, depth = maxDepth): Outline {
  if (!isRecord(schema) || depth < 0) return {};
  if (typeof schema.$ref === "string") return outlineOf(localTarget(root, schema.$ref), root, depth - 1);
  if ("const" in schema) return { ...typeOfAll([schema.const]), const: schema.const };
  if (Array.isArray(schema.enum) && schema.enum.length > 0 && schema.enum.length <= maxChoices) {
    return { ...typeOfAll(schema.enum), enum: schema.enum };
  }
  const alternatives = [schema.anyOf, schema.oneOf].find((each): each is unknown[] => Array.isArray(each));
  if (alternatives !== undefined) {
    const outlines = alternatives.map((each) => outlineOf(each, root, depth - 1));
    return outlines.some((each) => Object.keys(each).length === 0) ? {} : { anyOf: outlines };
  }
  if (Array.isArray(schema.allOf) && schema.allOf.length === 1) return outlineOf(schema.allOf[0], root, depth - 1);
  if (Array.isArray(schema.type)) {
    return { anyOf: schema.type.map((type) => outlineOf({ ...schema, type }, root, depth)) };
  }
  return outlineOfType(schema, root, depth);
}

function outlineOfType(schema: Record<string, unknown>, root: unknown, depth: number): Outline {
  const type = schema.type ?? (isRecord(schema.properties) ? "object" : undefined);
  switch (type) {
    case "array":
      return { type: "array", items: outlineOf(schema.items, root, depth - 1) };
    case "object":
      return isRecord(schema.properties) && Object.keys(schema.properties).length > 0
        ? objectOutline(schema.properties, requiredOf(schema), (inner) => outlineOf(inner, root, depth - 1))
        : { type: "object" };
    case "string":
    case "integer":
    case "number":
    case "boolean":
    case "null":
      return { type };
    default:
      return {};
  }
}

/** An object of these properties alone. */
export function objectOutline(
  properties: Readonly<Record<string, unknown>>,
  required: readonly string[],
  outline: (schema: unknown, name: string) => Outline,
): Outline {
  const entries = Object.entries(properties).map(([name, inner]) => [name, outline(inner, name)] as const);
  return {
    type: "object",
    properties: Object.fromEntries(entries),
    required: required.filter((name) => Object.hasOwn(properties, name)),
    additionalProperties: false,
  };
}

/** Servers that enforce a schema want its type even beside constants. */
function typeOfAll(values: readonly unknown[]): Outline {
  const types = new Set(values.map((value) => (value === null ? "null" : typeof value)));
  const [only = "object"] = types;
  return types.size === 1 && only !== "object" ? { type: only } : {};
}

export function propertiesOf(schema: JsonSchema | undefined): Readonly<Record<string, unknown>> {
  return isRecord(schema) && isRecord(schema.properties) ? schema.properties : {};
}

export function requiredOf(schema: JsonSchema | undefined): readonly string[] {
  const required = isRecord(schema) ? schema.required : undefined;
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

function localTarget(root: unknown, ref: string): unknown {
  if (!ref.startsWith("#/")) return undefined;
  const keys = ref
    .slice(2)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
  return keys.reduce<unknown>(
    (value, key) => (isRecord(value) && Object.hasOwn(value, key) ? value[key] : undefined),
    root,
  );
}
