import { isRecord } from "../json.ts";
import { resolvePointer } from "./schema-node.ts";

export const types: ReadonlySet<string> = new Set([
  "string",
  "number",
  "integer",
  "boolean",
  "object",
  "array",
  "null",
]);
const maxParts = 20_000;

/**
 * Why a resource's schema cannot be read, or `undefined`. A cheap look at its shape that needs no ajv; what passes here
 * may still fail to compile, which shows when a literal is first checked.
 */
export function brokenSchema(schema: unknown): string | undefined {
  return schemaFault(schema)?.text;
}

/** What keeps a schema from being read, and where in it. */
export interface SchemaFault {
  readonly text: string;
  /** JSON pointer; empty for the schema itself. */
  readonly path: string;
}

/** @param look finds what else is wrong with a schema, apart from those in it */
export function schemaFault(
  schema: unknown,
  look: (part: Readonly<Record<string, unknown>>, root: Readonly<Record<string, unknown>>) => string | undefined = () =>
    undefined,
): SchemaFault | undefined {
  if (typeof schema === "boolean" || schema === undefined) return undefined;
  if (!isRecord(schema))
    return { text: `expected a JSON Schema (an object or a boolean), got ${nameOf(schema)}`, path: "" };
  const queue: SchemaPart[] = [{ part: schema, at: "" }];
  for (let i = 0; i < queue.length && i < maxParts; i++) {
    const { part, at } = queue[i]!;
    if (typeof part === "boolean") continue;
    const place = `at "${at || "/"}"`;
    if (!isRecord(part)) return { text: `expected a schema ${place}, got ${nameOf(part)}`, path: at };
    const fault = look(part, schema) ?? faultOf(part, schema);
    if (fault !== undefined) return { text: `${fault} ${place}`, path: at };
    const odd = oddContainer(part);
    if (odd !== undefined) return { text: `expected ${odd.wanted} ${place}, got ${nameOf(odd.got)}`, path: at };
    for (const inner of innerSchemas(part, at)) queue.push(inner);
  }
  return undefined;
}

interface SchemaPart {
  readonly part: unknown;
  /** Where it is in the schema, as a path. */
  readonly at: string;
}

/** Keywords under which schemas have names. */
const namedSchemas = ["properties", "patternProperties", "$defs", "definitions"];
/** Keywords under which schemas are listed. */
const listedSchemas = ["anyOf", "oneOf", "allOf", "prefixItems"];
/** Keywords that are a schema themselves. */
const ownSchemas = ["additionalProperties", "not", "if", "then", "else", "contains", "propertyNames"];

/** The first keyword that holds schemas, but not in the shape that it has to have. */
function oddContainer(part: Readonly<Record<string, unknown>>): { wanted: string; got: unknown } | undefined {
  const named = namedSchemas.find((keyword) => part[keyword] !== undefined && !isRecord(part[keyword]));
  if (named !== undefined) return { wanted: `\`${named}\` to be an object`, got: part[named] };
  const listed = listedSchemas.find((keyword) => part[keyword] !== undefined && !Array.isArray(part[keyword]));
  return listed === undefined ? undefined : { wanted: `\`${listed}\` to be an array`, got: part[listed] };
}

/** The schemas directly inside one whose containers have the right shape. */
function* innerSchemas(part: Readonly<Record<string, unknown>>, at: string): Generator<SchemaPart> {
  const { items } = part;
  for (const keyword of [...namedSchemas, ...listedSchemas]) {
    for (const [key, inner] of Object.entries(part[keyword] ?? {}))
      yield { part: inner, at: `${at}/${keyword}/${key}` };
  }
  for (const keyword of ownSchemas)
    if (part[keyword] !== undefined) yield { part: part[keyword], at: `${at}/${keyword}` };
  const tuple = Array.isArray(items) ? items : items === undefined ? [] : [items];
  for (const [index, inner] of tuple.entries()) yield { part: inner, at: `${at}/items/${index}` };
}

function faultOf(part: Record<string, unknown>, root: Record<string, unknown>): string | undefined {
  const { type, required, $ref } = part;
  if (type !== undefined) {
    const named = Array.isArray(type) ? type : [type];
    const odd = named.find((each) => typeof each !== "string" || !types.has(each));
    if (odd !== undefined || named.length === 0) return `unknown type ${JSON.stringify(odd ?? [])}`;
  }
  if (required !== undefined && !(Array.isArray(required) && required.every((key) => typeof key === "string"))) {
    return "expected `required` to be an array of names";
  }
  if (part.enum !== undefined && !Array.isArray(part.enum)) return "expected `enum` to be an array";
  if (typeof $ref === "string" && $ref.startsWith("#/") && resolvePointer(root, $ref) === undefined) {
    return `\`$ref\` "${$ref}" points at nothing`;
  }
  return undefined;
}

export function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "string" ? `the text ${JSON.stringify(value.slice(0, 40))}` : typeof value;
}
