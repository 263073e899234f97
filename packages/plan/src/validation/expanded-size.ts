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
    if (isRecord(part)) {
      for (const [key, member] of Object.entries(part)) {
        if (key === "$defs" || key === "definitions") continue;
        if (typeof member === "string" && dynamicReferences.includes(key)) size = Number.POSITIVE_INFINITY;
        else if (typeof member === "string" && key === "$ref") size += sizeOf(targetOf(root, member));
        else size += sizeOf(member);
        if (size > limit) break;
      }
    } else {
      for (const member of part as unknown[]) {
        size += sizeOf(member);
        if (size > limit) break;
      }
    }
    open.delete(part);
    sizes.set(part, size);
    return size;
  };
  return sizeOf(schema);
}

const maxDepth = 500;
const endless: Record<string, unknown> = { $dynamicRef: "#" };

function targetOf(root: Record<string, unknown>, reference: string): unknown {
  return resolvePointer(root, reference) ?? endless;
}
