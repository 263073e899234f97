import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Resource } from "@planloom/plan";
import { featuresOf } from "../../packages/embedded/src/functions/confidence.ts";
import { confidenceFeatures } from "../../packages/embedded/src/functions/learned/confidence-features.ts";
import { type Forecast, reliabilityTable } from "./calibration.ts";
import { learnLogistic, type Row } from "./logistic.ts";
import { type Item, isHeldOut, readSets } from "./plans-data.ts";
import { toResources } from "./plans-predict.ts";
import { readItem } from "./plans-read.ts";

/**
 * Learns how likely a plan calls the right tools, from the half that is worked on:
 * `node test/bench/plans-train-confidence.ts --data FOLDER [--write FILE.ts]`.
 *
 * Logistic regression over features of how the plan came about, the sets weighing alike. What is reported is how well it
 * carries over: each set is forecast by weights that were learned from the others.
 */
const { values: options } = parseArgs({ options: { data: { type: "string" }, write: { type: "string" } } });
if (options.data === undefined) {
  process.stderr.write("usage: node test/bench/plans-train-confidence.ts --data FOLDER [--write FILE.ts]\n");
  process.exit(2);
}

const sets = readSets(options.data).map(({ name, items }) => {
  const known = new Map<string, Resource[]>();
  const plans = items
    .filter((item) => !isHeldOut(item.id))
    .flatMap((item) => {
      const key = JSON.stringify(item.tools);
      const resources = known.get(key) ?? toResources(item.tools);
      known.set(key, resources);
      return planOf(item, resources) ?? [];
    });
  return { name, plans };
});

interface Plan {
  readonly features: Float64Array;
  readonly right: boolean;
}

function planOf(item: Item, resources: readonly Resource[]): Plan | undefined {
  const planning = readItem(item, resources);
  if (planning?.choice === undefined || planning.drafts.length === 0) return undefined;
  const { drafts, unresolved, choice } = planning;
  const names = (tools: readonly string[]) => JSON.stringify(tools.toSorted());
  const right =
    names(drafts.map(({ profile }) => profile.resource.id)) === names(item.gold.steps.map(({ tool }) => tool));
  return { features: featuresOf(drafts, unresolved.length, choice), right };
}

/** By feature: what it adds to the odds. */
function learn(from: typeof sets): number[] {
  const rows = from.flatMap(({ plans }): Row[] =>
    plans.map(({ features, right }) => ({
      features: confidenceFeatures.map((name, at) => [name, features[at]!] as const),
      sort: 0,
      right,
      weight: 100 / plans.length,
    })),
  );
  const { weights } = learnLogistic(rows, 2);
  return confidenceFeatures.map((name) => (weights[name] ?? []).reduce((sum, each) => sum + each, 0));
}

const forecast = (plans: readonly Plan[], weights: readonly number[]): Forecast[] =>
  plans.map(({ features, right }) => {
    const odds = weights.reduce((sum, weight, at) => sum + weight * features[at]!, 0);
    return { chance: 1 / (1 + Math.exp(-odds)), right };
  });

const left = sets.map((own) => ({
  ...own,
  forecasts: forecast(own.plans, learn(sets.filter((other) => other !== own))),
}));
for (const { name, forecasts } of left) {
  const mean = (value: (each: Forecast) => number) =>
    forecasts.reduce((sum, each) => sum + value(each), 0) / forecasts.length;
  const said = (100 * mean(({ chance }) => chance)).toFixed(1);
  const right = (100 * mean((each) => Number(each.right))).toFixed(1);
  process.stdout.write(`${name}: ${forecasts.length} plans, ${said} said, ${right} right\n`);
}
process.stdout.write(
  `each set by the weights of the others:\n${reliabilityTable(left.flatMap(({ forecasts }) => forecasts))}\n`,
);
const learned = learn(sets);
process.stdout.write(
  `all by the weights of all:\n${reliabilityTable(sets.flatMap(({ plans }) => forecast(plans, learned)))}\n`,
);
const lines = confidenceFeatures.map(
  (name, at) => `  ${/^\w+$/.test(name) ? name : JSON.stringify(name)}: ${Number(learned[at]!.toFixed(2))},`,
);
process.stdout.write(`${lines.join("\n")}\n`);
if (options.write !== undefined)
  writeFileSync(
    options.write,
    `import type { confidenceFeatures } from "./confidence.ts";

/** Learned by \`test/bench/plans-train-confidence.ts\` from half of public benchmarks. Not edited by hand. */
export const confidenceWeights: Readonly<Record<(typeof confidenceFeatures)[number], number>> = {
${lines.join("\n")}
};
`,
  );
