import { existsSync } from "node:fs";
import { planGoal } from "@planloom/embedded";
import type { Resource } from "@planloom/plan";
import { readSets } from "./plans-data.ts";
import { toResources } from "./plans-predict.ts";
import type { WildData, WildGoal } from "./wild-data.ts";

/** How long a plan takes among so many tools, the tools being indexed. */
export interface PlanTimes {
  readonly tools: number;
  readonly medianMs: number;
  readonly p95Ms: number;
}

/**
 * Plans each goal among `size` tools: those of its own catalogue, and others of all servers and of the benchmarks in `pool`.
 * @returns nothing where there are not so many tools
 */
export function timesAt(
  size: number,
  data: WildData,
  goals: readonly WildGoal[],
  clock: { readonly now: string; readonly timeZone: string },
  pool: string,
): PlanTimes[] {
  const all = new Map<string, Resource>();
  const add = (resource: Resource) => all.set(resource.id, all.get(resource.id) ?? resource);
  for (const [server, { tools }] of Object.entries(data.servers))
    for (const tool of toResources(tools)) add({ ...tool, id: `${server}/${tool.name}` });
  if (existsSync(pool))
    for (const { name, items } of readSets(pool))
      for (const item of items)
        for (const tool of toResources(item.tools)) add({ ...tool, id: `${name}/${tool.name}` });
  if (all.size < size) return [];
  const times: number[] = [];
  for (const catalogue of new Set(goals.map((goal) => goal.catalogue))) {
    const servers = new Set(data.serversOf(catalogue));
    const isOwn = ({ id }: Resource) => servers.has(id.split("/", 1)[0] ?? "");
    const resources = [...all.values()]
      .toSorted((left, right) => Number(isOwn(right)) - Number(isOwn(left)))
      .slice(0, size);
    const own = goals.filter((goal) => goal.catalogue === catalogue);
    for (const { query } of own.slice(0, 3)) planGoal(query, resources, clock);
    for (const { query } of own) {
      const before = performance.now();
      planGoal(query, resources, clock);
      times.push(performance.now() - before);
    }
  }
  times.sort((left, right) => left - right);
  return [{ tools: size, medianMs: times[times.length >> 1] ?? 0, p95Ms: times[Math.floor(times.length * 0.95)] ?? 0 }];
}
