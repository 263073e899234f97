import { existsSync } from "node:fs";
import type { Resource } from "@planloom/plan";
import { faultsOf } from "../embedded/check-exact.ts";
import { forms, randomFrom, toTool, writeGoal } from "../embedded/exact-calls.ts";
import { readSets } from "./plans-data.ts";
import type { WildData } from "./wild-data.ts";

/**
 * Goals that write calls out by exact names: for each tool of every server in each form, and for one tool in four of each
 * benchmark's catalogues (at most 40 catalogues a benchmark) in one form.
 * @returns how many are planned just as they are written, of how many
 */
export function measureExactCalls(data: WildData, pool: string): readonly [right: number, all: number] {
  const random = randomFrom(2026);
  let all = 0;
  let right = 0;
  const measure = (resources: readonly Resource[], resource: Resource, form: (typeof forms)[number]) => {
    const goal = writeGoal(resources, random, resource, form);
    if (goal === undefined) return;
    all += 1;
    if (faultsOf(goal, resources).length === 0) right += 1;
  };
  for (const { tools } of Object.values(data.servers)) {
    const resources = tools.map((tool) => toTool(tool));
    for (const resource of resources) for (const form of forms) measure(resources, resource, form);
  }
  for (const { items } of existsSync(pool) ? readSets(pool) : []) {
    const catalogues = new Map(items.map(({ tools }) => [JSON.stringify(tools), tools]));
    for (const tools of [...catalogues.values()].slice(0, 40)) {
      const resources = tools.map((tool) => toTool(tool));
      resources.forEach((resource, at) => {
        if (at % 4 === 0) measure(resources, resource, forms[(at / 4) % forms.length]!);
      });
    }
  }
  return [right, all];
}
