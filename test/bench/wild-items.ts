import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isRecord } from "@planloom/plan";
import type { BenchTool, Item, Step } from "./plans-data.ts";
import type { WildGoal } from "./wild-data.ts";

interface GoalStep {
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly opt?: Readonly<Record<string, unknown>>;
  readonly dependsOn?: readonly number[];
}

/**
 * Goals over real servers as items of a benchmark, to learn from: those whose right plan is written out in values. Goals whose values are
 * described (a pattern, an output as a whole) and goals that say a date, which depends on the day, are left out.
 */
export function wildItems(folder: string, combinations: Readonly<Record<string, readonly string[]>>): Item[] {
  const read = (name: string): unknown => JSON.parse(readFileSync(join(folder, name), "utf8"));
  const servers = read("catalogues.json") as Readonly<Record<string, { readonly tools: readonly BenchTool[] }>>;
  const goals = read("goals.json") as readonly (WildGoal & {
    readonly gold: { readonly steps: readonly GoalStep[] };
  })[];
  const tools = new Map<string, readonly BenchTool[]>();
  return goals.flatMap(({ id, kind, tags, catalogue, query, gold }) => {
    if (kind !== "do" || tags.includes("dates") || gold.steps.some(({ args }) => Object.values(args).some(isDescribed)))
      return [];
    const own =
      tools.get(catalogue) ?? (combinations[catalogue] ?? [catalogue]).flatMap((name) => servers[name]?.tools ?? []);
    tools.set(catalogue, own);
    return [{ id, query, tools: own, gold: { steps: gold.steps.map(toStep) } }];
  });
}

/** A matcher other than a list of allowed values. */
function isDescribed(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(isDescribed);
  if (!isRecord(value)) return false;
  return ["$re", "$any", "$ref"].some((key) => key in value) || Object.values(value).some(isDescribed);
}

function toStep({ tool, args, opt = {}, dependsOn = [] }: GoalStep): Step {
  const listed = Object.entries(args).flatMap(([name, value]) =>
    isRecord(value) && Array.isArray(value.$in) ? [[name, value.$in as readonly unknown[]] as const] : [],
  );
  // What may be given or not is right where it is given, and no fault where it is not.
  const optional = Object.entries(opt)
    .filter(([, value]) => !isDescribed(value))
    .map(
      ([name, value]) => [name, ["", ...(isRecord(value) && Array.isArray(value.$in) ? value.$in : [value])]] as const,
    );
  const values = Object.entries(args).map(
    ([name, value]) => [name, isRecord(value) && Array.isArray(value.$in) ? value.$in[0] : value] as const,
  );
  return {
    tool,
    args: Object.fromEntries(values),
    dependsOn,
    accept: Object.fromEntries([...listed, ...optional]),
  };
}
