import { isRecord } from "../json.ts";
import { resolvePointer } from "./schema-node.ts";

const types = new Set(["string", "number", "integer", "boolean", "object", "array", "null"]);
const maxParts = 20_000;

/**
 * Why a resource's schema cannot be read, or `undefined`. A cheap look at its shape that needs no ajv; what passes here
 * may still fail to compile, which shows when a literal is first checked.
 */
export function brokenSchema(schema: unknown): string | undefined {
  if (typeof schema === "boolean" || schema === undefined) return undefined;
  if (!isRecord(schema)) return `expected a JSON Schema (an object or a boolean), got ${nameOf(schema)}`;
  const queue: { part: unknown; at: string }[] = [{ part: schema, at: "" }];
  for (let i = 0; i < queue.length && i < maxParts; i++) {
    const { part, at } = queue[i]!;
    if (typeof part === "boolean") continue;
    if (!isRecord(part)) return `expected a schema at "${at || "/"}", got ${nameOf(part)}`;
    const fault = faultOf(part, schema);
    if (fault) return `${fault} at "${at || "/"}"`;
    for (const keyword of ["properties", "patternProperties", "$defs", "definitions"]) {
      const members = part[keyword];
      if (members === undefined) continue;
      if (!isRecord(members))
        return `expected \`${keyword}\` to be an object at "${at || "/"}", got ${nameOf(members)}`;
      for (const [key, member] of Object.entries(members)) queue.push({ part: member, at: `${at}/${keyword}/${key}` });
    }
    for (const keyword of ["anyOf", "oneOf", "allOf", "prefixItems"]) {
      const members = part[keyword];
      if (members === undefined) continue;
      if (!Array.isArray(members))
        return `expected \`${keyword}\` to be an array at "${at || "/"}", got ${nameOf(members)}`;
      for (const [index, member] of members.entries()) queue.push({ part: member, at: `${at}/${keyword}/${index}` });
    }
    if (part.additionalProperties !== undefined) {
      queue.push({ part: part.additionalProperties, at: `${at}/additionalProperties` });
    }
    const { items } = part;
    const listed = Array.isArray(items) ? items : items === undefined ? [] : [items];
    for (const [index, item] of listed.entries()) queue.push({ part: item, at: `${at}/items/${index}` });
  }
  return undefined;
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

function nameOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "string" ? `the text ${JSON.stringify(value.slice(0, 40))}` : typeof value;
}
