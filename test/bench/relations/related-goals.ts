import { existsSync } from "node:fs";
import { join } from "node:path";
import { isHeldOut, readSets } from "../plans-data.ts";
import { readWild } from "../wild-data.ts";
import type { RelatedTool } from "./relation.ts";

/** A goal over the tools of one array for each catalogue, so that they are indexed once. */
export interface GoalOverTools {
  readonly id: string;
  readonly query: string;
  readonly tools: readonly RelatedTool[];
}

/**
 * The goals of a folder with `goals.json` and `catalogues.json`, or those of the development split of a folder of benchmarks, at most
 * `each` of a benchmark. What is right is not read.
 */
export async function readRelatedGoals(folder: string, each: number): Promise<GoalOverTools[]> {
  if (!existsSync(join(folder, "goals.json"))) return readBenchmarks(folder, each);
  const data = await readWild(folder);
  const catalogues = new Map<string, readonly RelatedTool[]>();
  return data.goals.map(({ id, catalogue, query }) => {
    const known = catalogues.get(catalogue);
    const tools =
      known ??
      data
        .serversOf(catalogue)
        .flatMap((server) => (data.servers[server]?.tools ?? []).map((tool) => ({ ...tool, server })));
    catalogues.set(catalogue, tools);
    return { id, query, tools };
  });
}

function readBenchmarks(folder: string, each: number): GoalOverTools[] {
  return readSets(folder).flatMap(({ name, items }) => {
    const catalogues = new Map<string, readonly RelatedTool[]>();
    const open = items.filter(({ id, context }) => !isHeldOut(id) && context === undefined);
    const step = Math.max(1, open.length / each);
    return Array.from({ length: Math.min(each, open.length) }, (_, at) => open[Math.floor(at * step)]!).map((item) => {
      const key = JSON.stringify(item.tools);
      const tools = catalogues.get(key) ?? item.tools.map((tool) => ({ ...tool, server: name }));
      catalogues.set(key, tools);
      return { id: item.id, query: item.query, tools };
    });
  });
}
