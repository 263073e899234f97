import type { Item, Step } from "./plans-data.ts";
import { isSamePlan } from "./plans-graph.ts";
import { canonical, isAccepted, mayBeLeftOut, type NormalStep, normalise, referencesIn } from "./plans-values.ts";

export const measures = [
  "nodeF1",
  "callF1",
  "edgeF1",
  "argNameF1",
  "argValueF1",
  "argValueF1L",
  "refF1",
  "refPathF1",
] as const;
export const shares = ["exactTools", "exactGraph", "exactPlan"] as const;
export type Measure = (typeof measures)[number] | (typeof shares)[number];

/** 0 to 1; null where the set does not ask for it. */
export type Scores = Readonly<Record<Measure, number | null>>;

/** What was predicted and what is gold, as sets of texts. */
type Pair = readonly [gold: ReadonlySet<string>, predicted: ReadonlySet<string>];

/**
 * Micro-averaged F1 over sets, as the benchmark defines them: tool names (unknown ones left out), pairs of tools with a
 * dependency, tool-argument, tool-argument-value, and the same over references; and shares of plans that are equal.
 * A prediction that is missing counts as an empty plan.
 */
export function scorePlans(items: readonly Item[], predictions: ReadonlyMap<string, readonly Step[]>): Scores {
  const counts = new Map<Measure, { hit: number; wrong: number; missed: number }>();
  const exact = new Map<Measure, { hit: number; all: number }>();
  const add = (measure: Measure, [gold, predicted]: Pair) => {
    const count = counts.get(measure) ?? { hit: 0, wrong: 0, missed: 0 };
    counts.set(measure, count);
    for (const each of predicted) gold.has(each) ? count.hit++ : count.wrong++;
    for (const each of gold) if (!predicted.has(each)) count.missed++;
  };
  const tick = (measure: Measure, hit: boolean) => {
    const count = exact.get(measure) ?? { hit: 0, all: 0 };
    exact.set(measure, count);
    count.all++;
    if (hit) count.hit++;
  };
  for (const item of items) {
    const gold = normalise(item.gold.steps);
    const predicted = normalise(predictions.get(item.id) ?? []);
    const scope = new Set(item.scope ?? ["tools", "edges", "args"]);
    const known = new Set(item.tools.map((tool) => tool.name));
    add("nodeF1", [toolSet(gold), new Set([...toolSet(predicted)].filter((tool) => known.has(tool)))]);
    add("callF1", [calls(gold), calls(predicted)]);
    if (scope.has("edges")) add("edgeF1", [edges(gold), edges(predicted)]);
    if (scope.has("args")) for (const [measure, pair] of argumentSets(predicted, gold)) add(measure, pair);
    const sameTools = toolList(gold) === toolList(predicted);
    tick("exactTools", sameTools);
    if (!scope.has("edges")) continue;
    const sameGraph = sameTools && isSamePlan(predicted, gold, false);
    tick("exactGraph", sameGraph);
    if (scope.has("args")) tick("exactPlan", sameGraph && isSamePlan(predicted, gold, true));
  }
  const f1 = (measure: Measure) => {
    const { hit, wrong, missed } = counts.get(measure) ?? { hit: 0, wrong: 0, missed: 0 };
    const all = 2 * hit + wrong + missed;
    return all === 0 ? null : (2 * hit) / all;
  };
  const share = (measure: Measure) => {
    const { hit, all } = exact.get(measure) ?? { hit: 0, all: 0 };
    return all === 0 ? null : hit / all;
  };
  return Object.fromEntries([
    ...measures.map((measure) => [measure, f1(measure)]),
    ...shares.map((measure) => [measure, share(measure)]),
  ]) as Scores;
}

const toolSet = (plan: readonly NormalStep[]) => new Set(plan.map((step) => step.tool));
const toolList = (plan: readonly NormalStep[]) =>
  plan
    .map((step) => step.tool)
    .sort()
    .join("\u0001");

/** The second call of a tool is another element than the first. */
function calls(plan: readonly NormalStep[]): Set<string> {
  const seen = new Map<string, number>();
  return new Set(
    plan.map(({ tool }) => {
      const count = (seen.get(tool) ?? 0) + 1;
      seen.set(tool, count);
      return `${tool}\u0001${count}`;
    }),
  );
}

function edges(plan: readonly NormalStep[]): Set<string> {
  return new Set(
    plan.flatMap((step) => [...step.sources].map((source) => `${plan[source]?.tool ?? ""}\u0001${step.tool}`)),
  );
}

function argumentSets(predicted: readonly NormalStep[], gold: readonly NormalStep[]): (readonly [Measure, Pair])[] {
  const sets = () => [new Set<string>(), new Set<string>()] as const;
  const names = sets();
  const strict = sets();
  const loose = sets();
  const references = sets();
  const paths = sets();
  const refer = (side: 0 | 1, tool: string, name: string, value: unknown, plan: readonly NormalStep[]) => {
    for (const { step, path } of referencesIn(value)) {
      const source = plan[step]?.tool ?? "?";
      references[side].add(JSON.stringify([tool, name, source]));
      paths[side].add(JSON.stringify([tool, name, source, path]));
    }
  };
  const slot = (tool: string, name: string) => `${tool}\u0001${name}`;
  const valued = (at: string, value: unknown, plan: readonly NormalStep[], isLoose: boolean) =>
    `${at}\u0001${canonical(value, plan, isLoose)}`;
  for (const step of gold) {
    for (const [name, value] of step.args) {
      const at = slot(step.tool, name);
      names[0].add(at);
      strict[0].add(valued(at, value, gold, false));
      loose[0].add(valued(at, value, gold, true));
      refer(0, step.tool, name, value, gold);
    }
  }
  for (const step of predicted) {
    const same = gold.filter((other) => other.tool === step.tool);
    for (const [name, value] of step.args) {
      const at = slot(step.tool, name);
      refer(1, step.tool, name, value, predicted);
      const accepts = (other: NormalStep) => isAccepted(value, other.accept.get(name) ?? [], predicted);
      const unasked = !same.some((other) => other.args.has(name)) && same.some((other) => mayBeLeftOut(other, name));
      if (unasked) {
        if (same.some(accepts)) continue;
        strict[1].add(`${at}\u0001!${canonical(value, predicted, false)}`);
        loose[1].add(`${at}\u0001!${canonical(value, predicted, true)}`);
        continue;
      }
      names[1].add(at);
      const asIs = strict[0].has(valued(at, value, predicted, false));
      const match = asIs ? undefined : same.find((other) => other.args.has(name) && accepts(other));
      const [said, plan] = match === undefined ? [value, predicted] : [match.args.get(name), gold];
      strict[1].add(valued(at, said, plan, false));
      loose[1].add(valued(at, said, plan, true));
    }
  }
  return [
    ["argNameF1", names],
    ["argValueF1", strict],
    ["argValueF1L", loose],
    ["refF1", references],
    ["refPathF1", paths],
  ];
}
