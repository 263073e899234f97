import { isRecord } from "../json.ts";
import { resolvePointer } from "./schema-node.ts";

/** Keywords that point at another schema by a name that only validation itself resolves. */
const dynamicReferences = ["$dynamicRef", "$recursiveRef"];

/**
 * How many JSON values a schema has once every `$ref` is written out in its place, up to `limit`: what a validator may have
 * to look at for each part of a value. `Infinity` for a schema that contains itself, or refers to what is not in `root`.
 * Each part is counted once, so it is linear in the document.
 */
export function expandedSize(schema: unknown, root: Record<string, unknown>, limit: number): number {
  const sizes = new Map<object, number>();
  const open = new Set<object>();
  const sizeOf = (part: unknown): number => {
    if (typeof part !== "object" || part === null) return 1;
    const known = sizes.get(part);
    if (known !== undefined) return known;
    // A part within itself, or one so deep that it could be: nothing bounds what it takes.
    if (open.has(part) || open.size > maxDepth) return Number.POSITIVE_INFINITY;
    open.add(part);
    let size = 1;
    for (const inner of isRecord(part) ? expandedMembers(part, root) : (part as unknown[])) {
      size += inner === endless ? Number.POSITIVE_INFINITY : sizeOf(inner);
      if (size > limit) break;
    }
    open.delete(part);
    sizes.set(part, size);
    return size;
  };
  return sizeOf(schema);
}

/** The members of a schema, with the schema that it refers to in place of a reference. */
function* expandedMembers(schema: Record<string, unknown>, root: Record<string, unknown>): Generator<unknown> {
  for (const [key, member] of Object.entries(schema)) {
    if (key === "$defs" || key === "definitions") continue;
    if (typeof member !== "string") yield member;
    else if (dynamicReferences.includes(key)) yield endless;
    else yield key === "$ref" ? (resolvePointer(root, member) ?? endless) : member;
  }
}

const maxDepth = 500;
/** In place of a schema whose size has no bound. */
const endless: unique symbol = Symbol("endless");
