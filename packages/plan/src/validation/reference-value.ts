import { readPath } from "../references/read-path.ts";
import type { Reference } from "../references/reference.ts";
import type { ArgumentWalk } from "./argument-walk.ts";
import { nodeAtPath } from "./schema-at-path.ts";
import type { SchemaNode } from "./schema-node.ts";

type FoundReference = ArgumentWalk["references"]["inFlow"][number];

/** What a reference of a task gives: the value of a plan variable, or the type of anything else. Undefined where that is not known. */
export function givenBy(
  reference: Reference,
  known: readonly FoundReference[],
  { facts }: ArgumentWalk,
): ({ readonly found: FoundReference } & ({ readonly value: unknown } | { readonly node: SchemaNode })) | undefined {
  const found = known.find((each) => each.reference.name === reference.name);
  if (found === undefined) return undefined;
  const { source } = found;
  if (source === "variable") {
    const read = readPath(facts.variables[reference.name], reference.path, { optional: reference.optional });
    return read.found ? { found, value: read.value } : undefined;
  }
  const output =
    typeof source === "number" ? facts.outputs[source] : typeof source === "object" ? source.node : undefined;
  const given = output && nodeAtPath(output, reference.path);
  return given?.found === "yes" ? { found, node: given.node } : undefined;
}
