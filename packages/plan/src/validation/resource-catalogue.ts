import { type ExecutionKind, executionKinds, kindRecord } from "../kinds/kinds.ts";
import { withDeclaredEffects } from "../ports/declared-effects.ts";
import type { Resource, ResourceCatalogue } from "../ports/resource.ts";

/**
 * Resources by kind and id. Ids are matched exactly; for tools the bare name (`name`, or what follows the last `/`) and
 * `server__tool` are read too where only one tool can be meant. Of equal ids the first counts. O(resources) to build,
 * O(1) to ask. Effects may be in the words of `defineTool` and MCP too.
 * @throws PlanError OPTION for a misspelt effect of a resource
 */
export function resourceCatalogue(resources: readonly Resource[]): ResourceCatalogue {
  const all = [...withDeclaredEffects(resources)];
  const kinds = new Map<ExecutionKind, Index>(
    executionKinds.map((kind) => [kind, { list: [], ids: new Map(), aliases: new Map() }]),
  );
  for (const resource of all) {
    const index = kinds.get(resource.kind);
    if (!index || index.ids.has(resource.id)) continue;
    index.list.push(resource);
    index.ids.set(resource.id, resource);
    for (const alias of aliasesOf(resource)) {
      const known = index.aliases.get(alias);
      index.aliases.set(alias, known === undefined || known === resource ? resource : "ambiguous");
    }
  }
  const find = (kind: ExecutionKind, id: string): Resource | undefined => {
    const index = kinds.get(kind);
    const exact = index?.ids.get(id);
    if (exact) return exact;
    const alias = index?.aliases.get(id);
    return alias === "ambiguous" ? undefined : alias;
  };
  return {
    all,
    find,
    ofKind: (kind) => kinds.get(kind)?.list ?? [],
    kindsOf: (id) => executionKinds.filter((kind) => find(kind, id) !== undefined),
  };
}

interface Index {
  readonly list: Resource[];
  readonly ids: Map<string, Resource>;
  readonly aliases: Map<string, Resource | "ambiguous">;
}

/** `server/tool` as names of functions may be spelt: `server__tool`. */
export function flatToolId(id: string): string {
  return id.replaceAll("/", "__");
}

function aliasesOf({ kind, id, name }: Resource): readonly string[] {
  if (!kindRecord(kind).hasServers) return [];
  const spellings = [id.slice(id.lastIndexOf("/") + 1), flatToolId(id)];
  return name === undefined ? spellings : [name, ...spellings];
}
