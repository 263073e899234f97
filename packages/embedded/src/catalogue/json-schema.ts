import { isRecord } from "@planloom/plan";

export type JsonType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";
const jsonTypes: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

/**
 * A schema as a record: local references are followed, and what is said in a roundabout way is said plainly. An `allOf` of one part, and an `anyOf` of one part
 * and null, are that part. `true`, `false` and what cannot be read are `{}`.
 */
export function schemaRecord(schema: unknown, root: unknown, depth = 0): Record<string, unknown> {
  if (!isRecord(schema)) return {};
  const reference = schema.$ref;
  if (depth > 8) return schema;
  if (typeof reference !== "string") return withOnlyPart(schema, root, depth);
  let target: unknown = root;
  for (const key of reference.replace(/^#\/?/, "").split("/")) {
    if (key === "") continue;
    const own = key.replaceAll("~1", "/").replaceAll("~0", "~");
    target = isRecord(target) && Object.hasOwn(target, own) ? target[own] : undefined;
  }
  return isRecord(target) ? { ...schemaRecord(target, root, depth + 1), ...omit(schema, "$ref") } : schema;
}

/**
 * The alternatives of a schema: itself, or the branches of `anyOf` and `oneOf`, each with what all share. Branches that allow one value each are one branch that
 * allows them all; the branch that only allows null is left out beside others.
 */
export function branches(schema: unknown, root: unknown): Record<string, unknown>[] {
  const record = withConstant(schemaRecord(schema, root));
  const choices = [record.anyOf, record.oneOf].find(Array.isArray) as unknown[] | undefined;
  if (choices === undefined) return [record];
  const shared = omit(omit(record, "anyOf"), "oneOf");
  const all = choices.slice(0, 500).map((choice) => withConstant(schemaRecord(choice, root)));
  const some = all.filter(({ type }) => type !== "null");
  const own = withoutEncoded(some.length > 0 ? some : all);
  const values = own.flatMap(({ enum: allowed }) => (Array.isArray(allowed) ? (allowed as unknown[]) : []));
  const first = own.find(({ enum: allowed }) => Array.isArray(allowed));
  return own
    .flatMap((choice) =>
      Array.isArray(choice.enum) ? (choice === first ? [{ ...choice, enum: values }] : []) : [choice],
    )
    .slice(0, 16)
    .map((choice) => ({ ...shared, ...choice }));
}

/** The branches without the bare text beside an object: some servers take objects as texts of JSON too. */
function withoutEncoded(parts: readonly Record<string, unknown>[]): readonly Record<string, unknown>[] {
  const isObject = (part: Record<string, unknown>) => typesOf(part).has("object");
  const isBareText = ({ type, format = "json", ...rest }: Record<string, unknown>) =>
    type === "string" && format === "json" && Object.keys(rest).length === 0;
  return parts.some(isObject) ? parts.filter((part) => !isBareText(part)) : parts;
}

/** `const` is an `enum` of one value. */
function withConstant(schema: Record<string, unknown>): Record<string, unknown> {
  if (!("const" in schema) || Array.isArray(schema.enum)) return schema;
  return { ...omit(schema, "const"), enum: [schema.const] };
}

/** The schema with its only part in the place of the keyword that holds it; what is said outside counts more. */
function withOnlyPart(schema: Record<string, unknown>, root: unknown, depth: number): Record<string, unknown> {
  for (const keyword of ["allOf", "anyOf", "oneOf"] as const) {
    const parts: unknown = schema[keyword];
    if (!Array.isArray(parts)) continue;
    const some = parts.filter((part) => !isRecord(part) || part.type !== "null");
    if (some.length === 1) return { ...schemaRecord(some[0], root, depth + 1), ...omit(schema, keyword) };
    const [only, more] = keyword === "allOf" ? [] : telling(some, root, depth);
    if (only !== undefined && more === undefined) return { ...only, ...omit(schema, keyword) };
  }
  return schema;
}

/** Of alternatives of which one has fields: without the object of any fields and the bare text beside it. */
function telling(parts: readonly unknown[], root: unknown, depth: number): readonly Record<string, unknown>[] {
  if (parts.length > maxAlternatives) return [];
  const records = parts.map((part) => schemaRecord(part, root, depth + 1));
  if (!records.some(({ properties }) => isRecord(properties))) return [];
  const isBareObject = (record: Record<string, unknown>) => record.type === "object" && !isRecord(record.properties);
  return withoutEncoded(records.filter((record) => !isBareObject(record)));
}
/** Of more alternatives each has its own meaning. */
const maxAlternatives = 4;

/** Types the schema names, or those its other words imply. Empty: any type. */
export function typesOf(schema: Record<string, unknown>): ReadonlySet<JsonType> {
  const { type } = schema;
  const named = (Array.isArray(type) ? type : [type]).filter(
    (name): name is JsonType => typeof name === "string" && jsonTypes.has(name),
  );
  if (named.length > 0) return new Set(named);
  if (isRecord(schema.properties)) return new Set(["object"]);
  if (schema.items !== undefined) return new Set(["array"]);
  const values = Array.isArray(schema.enum) ? schema.enum : [];
  if (values.length > 0 && values.every((value) => typeof value === "string")) return new Set(["string"]);
  return new Set();
}

/** Own properties of an object schema, in order, at most 200. */
export function propertiesOf(schema: Record<string, unknown>): [name: string, schema: unknown][] {
  const own = isRecord(schema.properties) ? Object.entries(schema.properties).slice(0, 200) : [];
  const parts = Array.isArray(schema.allOf) ? schema.allOf.slice(0, 16) : [];
  return [...own, ...parts.flatMap((part) => (isRecord(part) ? propertiesOf(part) : []))];
}

export function requiredOf(schema: Record<string, unknown>): ReadonlySet<string> {
  const own = Array.isArray(schema.required) ? schema.required : [];
  const parts = Array.isArray(schema.allOf) ? schema.allOf.slice(0, 16) : [];
  const inherited = parts.flatMap((part) => (isRecord(part) ? [...requiredOf(part)] : []));
  return new Set([...own, ...inherited].filter((name): name is string => typeof name === "string"));
}

export function textOf(schema: Record<string, unknown>, key: "description" | "title" | "format"): string {
  const value = schema[key];
  return typeof value === "string" ? value.slice(0, 2_000) : "";
}

function omit(record: Record<string, unknown>, key: string): Record<string, unknown> {
  const { [key]: _, ...rest } = record;
  return rest;
}
