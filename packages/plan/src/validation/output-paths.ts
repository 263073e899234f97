import type { PathSegment } from "../references/reference.ts";
import { nodeAtPath } from "./schema-at-path.ts";
import { flatten, type SchemaNode } from "./schema-node.ts";

export interface OutputPath {
  readonly path: readonly PathSegment[];
  readonly node: SchemaNode;
}

const maxPaths = 60;
const maxDepth = 4;
const remembered = new WeakMap<object, readonly OutputPath[]>();

/** Paths into a value of a schema, shallow ones first, at most 60: properties, and `.*` and `[0]` into arrays. */
export function outputPaths(node: SchemaNode): readonly OutputPath[] {
  if (typeof node.schema !== "object") return [];
  const known = remembered.get(node.schema);
  if (known) return known;
  const paths: OutputPath[] = [{ path: [], node }];
  for (let i = 0; i < paths.length && paths.length < maxPaths; i++) {
    const { path } = paths[i]!;
    if (path.length >= maxDepth) continue;
    for (const segment of segmentsOf(paths[i]!, node)) {
      if (paths.length >= maxPaths) break;
      const at = nodeAtPath(node, [...path, segment]);
      if (at.found === "yes") paths.push({ path: [...path, segment], node: at.node });
    }
  }
  remembered.set(node.schema, paths);
  return paths;
}

function segmentsOf({ path, node }: OutputPath, root: SchemaNode): PathSegment[] {
  // Behind a map the schema is an array of what is mapped; its members are reached by the path, not by the array.
  const mapped = path.some((segment) => "map" in segment);
  let inner = node;
  if (mapped) {
    const direct = path.map((segment) => ("map" in segment ? { index: 0 } : segment));
    inner = nodeAtPath(root, direct).node;
  }
  const segments: PathSegment[] = [];
  const branches = [inner];
  for (let i = 0; i < branches.length && i < 20; i++) {
    const flat = flatten(branches[i]!);
    for (const key of flat.properties.keys()) segments.push({ key });
    if (flat.items || flat.prefixItems.length > 0) segments.push({ map: true }, { index: 0 });
    for (const union of flat.unions) branches.push(...union);
  }
  return segments;
}
