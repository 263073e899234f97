import { isRecord, type JsonSchema } from "../json.ts";
import type { PathSegment } from "../references/reference.ts";
import { flatten, ownTypes, type SchemaNode } from "./schema-node.ts";

export interface SchemaAtPath {
  /** `no`: a value of this schema has nothing there. `unknown`: the schema does not say. */
  readonly found: "yes" | "no" | "unknown";
  /** `true` unless found. */
  readonly schema: JsonSchema;
}

/** The same with the document, for further steps. */
export interface NodeAtPath {
  readonly found: SchemaAtPath["found"];
  readonly node: SchemaNode;
}

const no: NodeAtPath = { found: "no", node: { schema: true, root: true } };
const unknown: NodeAtPath = { found: "unknown", node: { schema: true, root: true } };
const decimal = /^(?:0|[1-9][0-9]*)$/;
/** Paths come from plans, so what is remembered a schema is limited. */
const maxRemembered = 2000;
const remembered = new WeakMap<object, Map<string, NodeAtPath>>();

/**
 * Returns the schema of the value at `path` in a value of `schema`. A map (`.*`) gives arrays, nested maps nested ones.
 * Of a union every branch that has the path counts. An object schema that names some properties has no others unless
 * `additionalProperties` or `patternProperties` say so; one that names none may have any.
 */
export function schemaAtPath(schema: JsonSchema, path: readonly PathSegment[]): SchemaAtPath {
  const { found, node } = nodeAtPath({ schema, root: schema }, path);
  return { found, schema: found === "yes" ? withDefinitions(node) : true };
}

export function nodeAtPath(node: SchemaNode, path: readonly PathSegment[]): NodeAtPath {
  if (path.length === 0) return { found: "yes", node };
  if (!isRecord(node.schema)) return node.schema === false ? no : unknown;
  let known = remembered.get(node.schema);
  if (!known) {
    known = new Map();
    remembered.set(node.schema, known);
  }
  const name = pathName(path);
  let result = known.get(name);
  if (!result) {
    result = walk(node, path, 0, { left: 2000, unions: 0 });
    if (known.size < maxRemembered) known.set(name, result);
  }
  return result;
}

function pathName(path: readonly PathSegment[]): string {
  let name = "";
  for (const segment of path) {
    name += "key" in segment ? `\0.${segment.key}` : "index" in segment ? `\0[${segment.index}` : "\0*";
  }
  return name;
}

/** What one walk may still take: `left` bounds the breadth that unions give, `unions` counts those that lie within one another. */
interface Steps {
  left: number;
  unions: number;
}

/** A schema may contain itself as an alternative: deeper unions say nothing. */
const maxUnions = 50;

// Recursion is one level a segment and a union level.
function walk(node: SchemaNode, path: readonly PathSegment[], at: number, steps: Steps): NodeAtPath {
  if (at === path.length) return { found: "yes", node };
  if (--steps.left < 0) return unknown;
  const own = ownStep(node, path, at, steps);
  if (own.found === "yes") return own;
  const flat = flatten(node);
  if (flat.unions.length > 0 && steps.unions >= maxUnions) return unknown;
  steps.unions++;
  const results = flat.unions.flatMap((union) => union.map((branch) => walk(branch, path, at, steps)));
  steps.unions--;
  const found = results.filter((result) => result.found === "yes").map((result) => result.node);
  if (found.length === 1) return { found: "yes", node: found[0]! };
  if (found.length > 1)
    return { found: "yes", node: { schema: { anyOf: found.map((each) => each.schema) }, root: node.root } };
  if (results.some((result) => result.found === "unknown") || flat.opaque) return unknown;
  // Branches that only refine (`{required: […]}`) say nothing; then the schema's own word counts.
  return results.length > 0 && !ownTypes(flat) ? no : own;
}

function ownStep(node: SchemaNode, path: readonly PathSegment[], at: number, steps: Steps): NodeAtPath {
  const flat = flatten(node);
  if (flat.never) return no;
  const types = ownTypes(flat);
  if (!types) return flat.unions.length > 0 ? no : unknown;
  const segment = path[at]!;
  let result = no;
  if (types.has("object") && !("index" in segment)) result = objectStep(node, path, at, steps);
  if (result.found !== "yes" && types.has("array")) {
    const asArray = arrayStep(node, path, at, steps);
    if (asArray.found !== "no") result = asArray;
  }
  return result;
}

function objectStep(node: SchemaNode, path: readonly PathSegment[], at: number, steps: Steps): NodeAtPath {
  const flat = flatten(node);
  const segment = path[at]!;
  if ("map" in segment) {
    const members = [...flat.properties.values()];
    if (isNode(flat.additional)) members.push(flat.additional);
    else if (members.length === 0) return unknown;
    return mapped(members, node.root, path, at, steps);
  }
  const property = "key" in segment ? flat.properties.get(segment.key) : undefined;
  if (property) return walk(property, path, at + 1, steps);
  if (isNode(flat.additional)) return walk(flat.additional, path, at + 1, steps);
  if ("key" in segment && flat.required.has(segment.key)) return unknown;
  if (flat.additional === false) return flat.opaque ? unknown : no;
  return flat.additional === true || flat.properties.size === 0 || flat.opaque ? unknown : no;
}

function arrayStep(node: SchemaNode, path: readonly PathSegment[], at: number, steps: Steps): NodeAtPath {
  const flat = flatten(node);
  const segment = path[at]!;
  if ("map" in segment) {
    const members = [...flat.prefixItems];
    if (flat.items) members.push(flat.items);
    return members.length === 0 ? unknown : mapped(members, node.root, path, at, steps);
  }
  const index = "index" in segment ? segment.index : decimal.test(segment.key) ? Number(segment.key) : undefined;
  if (index === undefined) return no;
  const item = flat.prefixItems[index] ?? flat.items;
  if (item === undefined) return unknown;
  return item === false ? no : walk(item, path, at + 1, steps);
}

/** An array of what the rest of the path gives in each member. */
function mapped(
  members: readonly SchemaNode[],
  root: JsonSchema,
  path: readonly PathSegment[],
  at: number,
  steps: Steps,
): NodeAtPath {
  const results = members.map((member) => walk(member, path, at + 1, steps));
  const found = results.filter((result) => result.found === "yes").map((result) => result.node.schema);
  if (found.length > 0) {
    return {
      found: "yes",
      node: { schema: { type: "array", items: found.length === 1 ? found[0] : { anyOf: found } }, root },
    };
  }
  return results.some((result) => result.found === "unknown") ? unknown : no;
}

function isNode(value: SchemaNode | boolean | undefined): value is SchemaNode {
  return typeof value === "object";
}

/** A part of a document as a document: with the definitions that its `$ref`s need. */
function withDefinitions({ schema, root }: SchemaNode): JsonSchema {
  if (schema === root || !isRecord(schema) || !isRecord(root)) return schema;
  const { $defs, definitions } = root;
  return { ...(isRecord($defs) && { $defs }), ...(isRecord(definitions) && { definitions }), ...schema };
}
