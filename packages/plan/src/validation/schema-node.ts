import { isRecord, type JsonSchema } from "../json.ts";

/** A schema within its document, so that `$ref` to other parts of the document can be followed. */
export interface SchemaNode {
  readonly schema: JsonSchema;
  /** The whole document. */
  readonly root: JsonSchema;
}

export type JsonType = "string" | "number" | "integer" | "boolean" | "object" | "array" | "null";
const jsonTypes: ReadonlySet<string> = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);

/**
 * What typing looks at, of one schema with its `$ref` and `allOf` followed: types, values, members. What it does not
 * model (`not`, `if`, remote references, …) makes it `opaque`, and then nothing is refused because of it.
 */
export interface FlatSchema {
  /** Accepts nothing. */
  readonly never: boolean;
  readonly opaque: boolean;
  /** Absent: any type. */
  readonly types?: ReadonlySet<JsonType>;
  /** From `enum` or `const`. */
  readonly values?: readonly unknown[];
  readonly format?: string;
  readonly properties: ReadonlyMap<string, SchemaNode>;
  readonly required: ReadonlySet<string>;
  /** Other properties: `false` none, a node typed, `true` said to be allowed, absent nothing said. */
  readonly additional?: SchemaNode | boolean;
  readonly prefixItems: readonly SchemaNode[];
  /** Other items: `false` none, a node typed, absent anything. */
  readonly items?: SchemaNode | false;
  /** Each `anyOf` or `oneOf`; of each some branch must hold. */
  readonly unions: readonly (readonly SchemaNode[])[];
}

type Draft = { -readonly [Key in keyof FlatSchema]: FlatSchema[Key] } & {
  properties: Map<string, SchemaNode>;
  required: Set<string>;
  unions: (readonly SchemaNode[])[];
};

/** How many `$ref` and `allOf` are followed from one schema before the rest counts as unknown. */
const maxParts = 256;

const anything: FlatSchema = emptyDraft();
const nothing: FlatSchema = { ...emptyDraft(), never: true };
const flattened = new WeakMap<object, WeakMap<object, FlatSchema>>();

/** The flat form of a schema, the same object each time. Never throws, for any schema. */
export function flatten({ schema, root }: SchemaNode): FlatSchema {
  if (schema === false) return nothing;
  if (!isRecord(schema)) return anything;
  const document = isRecord(root) ? root : schema;
  let known = flattened.get(document);
  if (!known) {
    known = new WeakMap();
    flattened.set(document, known);
  }
  let flat = known.get(schema);
  if (!flat) {
    flat = merge(schema, document);
    known.set(schema, flat);
  }
  return flat;
}

function merge(start: Record<string, unknown>, root: Record<string, unknown>): FlatSchema {
  const draft = emptyDraft();
  const queue: unknown[] = [start];
  const seen = new Set<unknown>();
  for (let i = 0; i < queue.length; i++) {
    const schema = queue[i];
    if (schema === false) draft.never = true;
    if (!isRecord(schema) || seen.has(schema)) continue;
    seen.add(schema);
    if (seen.size > maxParts) {
      draft.opaque = true;
      break;
    }
    if (typeof schema.$ref === "string") {
      const target = resolvePointer(root, schema.$ref);
      if (target === undefined) draft.opaque = true;
      else queue.push(target);
    }
    if (Array.isArray(schema.allOf)) queue.push(...schema.allOf.slice(0, maxParts));
    for (const keyword of opaqueKeywords) if (Object.hasOwn(schema, keyword)) draft.opaque = true;
    mergeTypes(draft, schema);
    mergeObject(draft, schema, root);
    mergeArray(draft, schema, root);
    for (const union of [schema.anyOf, schema.oneOf]) {
      if (Array.isArray(union) && union.length > 0)
        draft.unions.push(union.map((branch) => ({ schema: branch, root })));
    }
  }
  return draft;
}

const opaqueKeywords = ["not", "if", "$dynamicRef", "$recursiveRef", "dependentSchemas"];

function mergeTypes(draft: Draft, schema: Record<string, unknown>): void {
  const listed = Array.isArray(schema.type) ? schema.type : [schema.type];
  const types = listed.filter((type): type is JsonType => typeof type === "string" && jsonTypes.has(type));
  if (types.length > 0) narrow(draft, new Set(types));
  const values = Array.isArray(schema.enum) ? schema.enum : Object.hasOwn(schema, "const") ? [schema.const] : undefined;
  if (values) {
    draft.values ??= values;
    narrow(draft, new Set(values.map(typeOfValue)));
  }
  if (typeof schema.format === "string") draft.format ??= schema.format;
}

/** Keeps the types that both allow; an integer is a number. */
function narrow(draft: Draft, types: ReadonlySet<JsonType>): void {
  if (!draft.types) {
    draft.types = types;
    return;
  }
  const both = new Set<JsonType>();
  for (const type of draft.types) {
    if (types.has(type) || (type === "integer" && types.has("number"))) both.add(type);
    else if (type === "number" && types.has("integer")) both.add("integer");
  }
  if (both.size === 0) draft.never = true;
  draft.types = both;
}

function mergeObject(draft: Draft, schema: Record<string, unknown>, root: JsonSchema): void {
  if (isRecord(schema.properties)) {
    for (const [key, property] of Object.entries(schema.properties)) {
      const before = draft.properties.get(key);
      const both = before ? { allOf: [before.schema, property] } : property;
      draft.properties.set(key, { schema: both as JsonSchema, root });
    }
  }
  if (Array.isArray(schema.required)) {
    for (const key of schema.required) if (typeof key === "string") draft.required.add(key);
  }
  if (isRecord(schema.patternProperties) && Object.keys(schema.patternProperties).length > 0) draft.additional = true;
  const additional = schema.additionalProperties ?? schema.unevaluatedProperties;
  if (typeof additional === "boolean") draft.additional ??= additional;
  else if (isRecord(additional)) {
    draft.additional ??= Object.keys(additional).length === 0 ? true : { schema: additional, root };
  }
}

function mergeArray(draft: Draft, schema: Record<string, unknown>, root: JsonSchema): void {
  const tuple = Array.isArray(schema.prefixItems) ? schema.prefixItems : schema.items;
  const rest = tuple === schema.items && Array.isArray(tuple) ? schema.additionalItems : schema.items;
  if (Array.isArray(tuple) && draft.prefixItems.length === 0) {
    draft.prefixItems = tuple.map((item) => ({ schema: item as JsonSchema, root }));
  }
  if (rest === false) draft.items ??= false;
  else if (isRecord(rest)) draft.items ??= { schema: rest, root };
}

function emptyDraft(): Draft {
  return { never: false, opaque: false, properties: new Map(), required: new Set(), prefixItems: [], unions: [] };
}

/** Follows `#`, `#/a/b` within the document, through own properties only. */
export function resolvePointer(root: Record<string, unknown>, reference: string): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let value: unknown = root;
  for (const token of reference.slice(2).split("/")) {
    const key = decode(token).replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string, unknown>)[key];
  }
  return value;
}

function decode(token: string): string {
  if (!token.includes("%")) return token;
  try {
    return decodeURIComponent(token);
  } catch {
    return token;
  }
}

/** The type a value has in JSON; whole numbers are `number` too. */
export function typeOfValue(value: unknown): JsonType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  const type = typeof value;
  return type === "string" || type === "number" || type === "boolean" ? type : "object";
}

/** The types a flat schema admits by itself, from its members where it names none. Absent: any. */
export function ownTypes(flat: FlatSchema): ReadonlySet<JsonType> | undefined {
  if (flat.types) return flat.types;
  if (flat.properties.size > 0 || (flat.required.size > 0 && flat.unions.length === 0)) return objectOnly;
  return flat.items !== undefined || flat.prefixItems.length > 0 ? arrayOnly : undefined;
}
const objectOnly: ReadonlySet<JsonType> = new Set(["object"]);
const arrayOnly: ReadonlySet<JsonType> = new Set(["array"]);

/** Types for people: `string`, `string | null`, `any`. Of an array or object only that it is one. */
export function typeText(node: SchemaNode, depth = 0): string {
  const names = new Set<string>();
  collectTypes(node, names, depth);
  return names.size === 0 ? "any" : [...names].join(" | ");
}

function collectTypes(node: SchemaNode, names: Set<string>, depth: number): void {
  const flat = flatten(node);
  if (flat.never) {
    names.add("nothing");
    return;
  }
  const types = ownTypes(flat);
  if (types) for (const type of types) names.add(type);
  else if (depth < 8)
    for (const union of flat.unions) for (const branch of union) collectTypes(branch, names, depth + 1);
}
